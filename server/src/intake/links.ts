// What happens when a person follows a link of a welcome mail. A link that is unknown, forged, expired, dead or meant
// for something else does not work, and the answer does not tell which of these it is.
import type { Clock } from "../clock.ts";
import { hashOfSent } from "../secrets.ts";
import type { Store } from "../storage/store.ts";
import type { FollowedLink, LinkPurpose } from "../storage/records.ts";

export interface LinkDeps {
  readonly clock: Clock;
  readonly store: Pick<Store, "checkLink" | "confirmSubscription" | "unsubscribe">;
}

/** Whether the link works. Changes nothing, so that link scanners may look as often as they like. */
export const checkLink = (deps: LinkDeps, purpose: LinkPurpose, token: string): Promise<boolean> =>
  follow(deps, token, (link) => deps.store.checkLink(purpose, link));

/** Confirms a subscription; true also when it was confirmed before. */
export const confirmSubscription = (deps: LinkDeps, token: string): Promise<boolean> =>
  follow(deps, token, (link) => deps.store.confirmSubscription(link));

/** Ends a subscription; true also when it was ended before. */
export const unsubscribe = (deps: LinkDeps, token: string): Promise<boolean> =>
  follow(deps, token, (link) => deps.store.unsubscribe(link));

async function follow(
  { clock }: LinkDeps,
  token: string,
  use: (link: FollowedLink) => Promise<boolean>,
): Promise<boolean> {
  const tokenHash = hashOfSent(token);
  return tokenHash !== null && (await use({ tokenHash, at: clock.now() }));
}
