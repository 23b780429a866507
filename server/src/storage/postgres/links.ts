// The links in welcome mails. Which of them work is decided in `rules/subscription.ts`.
import type { FollowedLink, LinkPurpose, SubscriberStatus } from "../records.ts";
import { linkWorks } from "../rules/subscription.ts";
import { subscriberEvent } from "../rules/webhooks.ts";
import type { Store } from "../store.ts";
import { lockHolder } from "./addresses.ts";
import { announceWithin } from "./announcements.ts";
import type { Connections } from "./connections.ts";
import type { Reader, Session } from "./session.ts";
import { prepared } from "./statement.ts";

const findHolder = prepared<{ key: string; status: SubscriberStatus }>(`
  SELECT subscriber.email_key AS key, subscriber.status FROM newsletter_token AS token JOIN subscriber USING (email_key)
  WHERE token.token_hash = $1 AND token.purpose = $2 AND (token.expires_at IS NULL OR token.expires_at > $3)`);

// The first time counts, also for a subscriber who became active without confirming.
export const confirm = prepared(`
  UPDATE subscriber SET status = 'active', confirmed_at = $2, unsubscribed_at = NULL
  WHERE email_key = $1 AND (status <> 'active' OR confirmed_at IS NULL)`);

// The first time since the latest welcome mail counts: leaving twice must not earn the address another one. Of a bounced
// subscriber the time is kept for the case that the bounce is explained by something else later.
const leave = prepared(`
  UPDATE subscriber SET status = CASE status WHEN 'bounced' THEN status ELSE 'unsubscribed' END, unsubscribed_at = $2
  WHERE email_key = $1 AND (status IN ('pending', 'active') OR (status = 'bounced' AND unsubscribed_at IS NULL)
    OR (status = 'unsubscribed' AND welcomed_at > unsubscribed_at))`);

export const deleteConfirmLinks = prepared("DELETE FROM newsletter_token WHERE email_key = $1 AND purpose = 'confirm'");

export function makeLinks(connections: Connections) {
  /** Follows a link if it is valid, and answers whether it was. */
  function follow(purpose: LinkPurpose, link: FollowedLink): Promise<boolean> {
    const work = async (session: Session) => {
      const [, holder] = await Promise.all([
        session.all(lockHolder, [link.tokenHash]),
        holderOf(session, purpose, link),
      ]);
      if (holder === null) return false;
      const { key, status } = holder;
      if (purpose === "confirm") await session.run(confirm, [key, link.at]);
      else await Promise.all([session.run(leave, [key, link.at]), session.run(deleteConfirmLinks, [key])]);
      const event = subscriberEvent(status, purpose === "confirm" ? "active" : "unsubscribed");
      await announceWithin(session, event, key, link.at);
      return true;
    };
    // Following a link again answers the same and changes nothing more.
    return connections.transaction(work, { repeatable: true });
  }

  return {
    checkLink: async (purpose, link) => (await holderOf(connections, purpose, link)) !== null,
    confirmSubscription: (link) => follow("confirm", link),
    unsubscribe: (link) => follow("unsubscribe", link),
  } satisfies Partial<Store>;
}

/** The subscriber whose link it is; null when the link does not work. */
async function holderOf(reader: Reader, purpose: LinkPurpose, { tokenHash, at }: FollowedLink) {
  const [holder] = await reader.all(findHolder, [tokenHash, purpose, at]);
  return holder !== undefined && linkWorks(purpose, holder.status) ? holder : null;
}
