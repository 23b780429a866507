// The links in welcome mails. Which of them work is decided in `rules/subscription.ts`.
import { emailKey } from "@submissions/shared/fields";
import type { FollowedLink, LinkPurpose, SubscriberStatus } from "../records.ts";
import { linkWorks } from "../rules/subscription.ts";
import type { Store } from "../store.ts";
import { prepareAnnouncements } from "./announcements.ts";
import { prepareAudit } from "./audit.ts";
import { type Engine, type Query, type Steps, together } from "./engine.ts";

interface Holder {
  readonly key: string;
  readonly status: SubscriberStatus;
}

// The first time counts, also for a subscriber who became active without confirming.
export const confirmText = `
  UPDATE subscriber SET status = 'active', confirmed_at = $2, unsubscribed_at = NULL
  WHERE email_key = $1 AND (status <> 'active' OR confirmed_at IS NULL)`;

export const unlinkText = "DELETE FROM newsletter_token WHERE email_key = $1 AND purpose = 'confirm'";

export function makeLinks(engine: Engine) {
  const { prepare, lockAddress, read, transaction } = engine;
  const announce = prepareAnnouncements(engine);
  const audit = prepareAudit(engine);
  const find = prepare<Holder>(`
    SELECT subscriber.email_key AS key, subscriber.status
    FROM newsletter_token AS token JOIN subscriber ON subscriber.email_key = token.email_key
    WHERE token.token_hash = $1 AND token.purpose = $2 AND (token.expires_at IS NULL OR token.expires_at > $3)`);
  const confirm = prepare(confirmText);
  // The first time since the latest welcome mail counts: leaving twice must not earn the address another one. Of a bounced
  // subscriber the time is kept for the case that the bounce is explained by something else later.
  const leave = prepare(`
    UPDATE subscriber SET status = CASE status WHEN 'bounced' THEN status ELSE 'unsubscribed' END, unsubscribed_at = $2
    WHERE email_key = $1 AND (status IN ('pending', 'active') OR (status = 'bounced' AND unsubscribed_at IS NULL)
      OR (status = 'unsubscribed' AND welcomed_at > unsubscribed_at))`);
  const unlink = prepare(unlinkText);
  // A welcome mail that was not tried yet would come after the leaving, and its confirm link would not work.
  const dropWelcomes = prepare(`DELETE FROM mail WHERE subscriber = $1 AND status = 'queued' AND lease_owner IS NULL
    AND attempts = 0 AND denials IS NULL`);
  const findKey = prepare<Pick<Holder, "status"> & { readonly arrival: number }>(
    "SELECT status, arrival FROM subscriber WHERE email_key = $1",
  );

  function* unsubscribe({ key, status }: Holder, at: number): Steps<void> {
    yield* together([leave(key, at), unlink(key), dropWelcomes(key)]);
    yield* announce.ofStatus(status, "unsubscribed", key, at);
  }

  /** Follows a link if it works, and answers whether it does. Following it again answers the same and changes nothing. */
  function follow(purpose: LinkPurpose, { tokenHash, at }: FollowedLink): Promise<boolean> {
    const holderOf = (): Query<Holder> => find(tokenHash, purpose, at);
    const steps = function* () {
      const [found] = yield* holderOf();
      if (found === undefined) return false;
      const [[holder]] = yield* lockAddress(found.key, [holderOf()]);
      if (holder === undefined || !linkWorks(purpose, holder.status)) return false;
      if (purpose === "confirm") {
        yield* confirm(holder.key, at);
        yield* announce.ofStatus(holder.status, "active", holder.key, at);
      } else yield* unsubscribe(holder, at);
      return true;
    };
    return transaction(steps, { repeatable: true });
  }

  return {
    async checkLink(purpose, { tokenHash, at }) {
      const [holder] = await read(find(tokenHash, purpose, at));
      return holder !== undefined && linkWorks(purpose, holder.status);
    },
    confirmSubscription: (link) => follow("confirm", link),
    unsubscribe: (link) => follow("unsubscribe", link),

    unsubscribeFor: (email, actor) =>
      transaction(function* () {
        const key = emailKey(email);
        const [[found]] = yield* lockAddress(key, [findKey(key)]);
        if (found === undefined) return false;
        yield* unsubscribe({ key, status: found.status }, actor.at);
        const detail = { subscriber: found.arrival, from: found.status };
        yield* audit({ action: "subscriber.unsubscribe", subject: "subscribers", detail }, actor);
        return true;
      }),
  } satisfies Partial<Store>;
}
