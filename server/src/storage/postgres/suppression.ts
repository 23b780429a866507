// The addresses that must not be mailed. What news of an address changes is decided in `rules/suppression.ts`; here it is
// written.
import { emailKey } from "@submissions/shared/fields";
import type { SuppressionChange } from "../records.ts";
import { subscriberEvent } from "../rules/webhooks.ts";
import { decideNews, type KnownAddressee, type Standing } from "../rules/suppression.ts";
import { lockAddress } from "./addresses.ts";
import type { Connections } from "./connections.ts";
import { deleteConfirmLinks } from "./links.ts";
import type { Session, Statement } from "./session.ts";
import { hashedInSql } from "./suppressed.ts";
import { announceWithin } from "./announcements.ts";

const find: Statement<Standing & { readonly key: string }> = {
  name: "find-suppression",
  text: `SELECT email_key AS key, reason, changed_at AS at FROM suppression WHERE email_key IN ($1, ${hashedInSql("$1")})`,
};

const findSubscriber: Statement<KnownAddressee> = {
  name: "find-addressee",
  text: `
    SELECT status, welcomed_at AS "welcomedAt", confirmed_at AS "confirmedAt", unsubscribed_at AS "unsubscribedAt",
      (SELECT true FROM newsletter_token AS token
        WHERE token.email_key = subscriber.email_key AND purpose = 'confirm' LIMIT 1) IS NOT NULL AS "hasConfirmLink"
    FROM subscriber WHERE email_key = $1`,
};

const write: Statement = {
  name: "suppress",
  text: `
    INSERT INTO suppression (email_key, reason, changed_at) VALUES ($1, $2, $3)
    ON CONFLICT (email_key) DO UPDATE SET reason = excluded.reason, changed_at = excluded.changed_at`,
};

const setStatus: Statement = {
  name: "set-subscriber-status",
  text: "UPDATE subscriber SET status = $2, unsubscribed_at = $3 WHERE email_key = $1",
};

/** Records news of an address. Answers whether it was news. */
export function suppress(connections: Connections, change: SuppressionChange): Promise<boolean> {
  const key = emailKey(change.email);
  return connections.transaction(async (session: Session) => {
    const [, [standing], [subscriber]] = await Promise.all([
      session.all(lockAddress, [key]),
      session.all(find, [key]),
      session.all(findSubscriber, [key]),
    ]);
    const follows = decideNews(change, standing, subscriber);
    if (follows === null) return false;
    const writes = [session.run(write, [standing?.key ?? key, follows.standing.reason, follows.standing.at])];
    if (follows.change !== null) {
      writes.push(session.run(setStatus, [key, follows.change.status, follows.change.unsubscribedAt]));
    }
    if (follows.deletesConfirmLinks) writes.push(session.run(deleteConfirmLinks, [key]));
    await Promise.all(writes);
    if (follows.change !== null) {
      await announceWithin(session, subscriberEvent(subscriber?.status, follows.change.status), key, change.at);
    }
    return true;
  });
}
