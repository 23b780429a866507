// What happens when a person follows a link of a welcome mail. A link that is unknown, forged, expired, dead or meant
// for something else does not work, and the answer does not tell which of these it is.
import type { Clock } from "../clock.ts";
import { hashOfSent } from "../secrets.ts";
import type { Store } from "../storage/store.ts";
import type { LinkPurpose } from "../storage/records.ts";

export interface LinkDeps {
  readonly clock: Clock;
  readonly store: Pick<Store, "checkLink" | "confirmSubscription" | "unsubscribe">;
}

/** Whether the link works. Changes nothing, so that link scanners may look as often as they like. */
export async function checkLink({ store, clock }: LinkDeps, purpose: LinkPurpose, token: string): Promise<boolean> {
  const tokenHash = hashOfSent(token);
  return tokenHash !== null && (await store.checkLink(purpose, { tokenHash, at: clock.now() }));
}

/** Confirms or ends a subscription; true also when that was done before. */
export async function followLink({ store, clock }: LinkDeps, purpose: LinkPurpose, token: string): Promise<boolean> {
  const tokenHash = hashOfSent(token);
  if (tokenHash === null) return false;
  const link = { tokenHash, at: clock.now() };
  return await (purpose === "confirm" ? store.confirmSubscription(link) : store.unsubscribe(link));
}
