// The addresses that must not be mailed. What news of an address changes is decided in `rules/suppression.ts`; here it is
// written.
import { emailKey } from "@submissions/shared/fields";
import type { SuppressionChange } from "../records.ts";
import { hashedPrefix } from "../rules/erasing.ts";
import { decideNews, type KnownAddressee, type Standing } from "../rules/suppression.ts";
import { subscriberEvent } from "../rules/webhooks.ts";
import { lockAddress } from "./addresses.ts";
import { announceWithin } from "./announcements.ts";
import type { Connections } from "./connections.ts";
import { deleteConfirmLinks } from "./links.ts";
import type { Session } from "./session.ts";
import { prepared } from "./statement.ts";

/** What `rules/erasing.ts` makes of the key of an erased address. */
export const hashedInSql = (key: string): string =>
  `'${hashedPrefix}' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`;

/** Whether an address is not to be mailed. There is at most one row: the key or its hash. */
export const suppressedInSql = (key: string): string =>
  `((SELECT max(reason) FROM suppression WHERE suppression.email_key IN (${key}, ${hashedInSql(key)})) IS NOT NULL)`;

const find = prepared<Standing & { readonly key: string }>(
  `SELECT email_key AS key, reason, changed_at AS at FROM suppression WHERE email_key IN ($1, ${hashedInSql("$1")})`,
);

const findSubscriber = prepared<KnownAddressee>(`
  SELECT status, welcomed_at AS "welcomedAt", confirmed_at AS "confirmedAt", unsubscribed_at AS "unsubscribedAt",
    (SELECT true FROM newsletter_token AS token
      WHERE token.email_key = subscriber.email_key AND purpose = 'confirm' LIMIT 1) IS NOT NULL AS "hasConfirmLink"
  FROM subscriber WHERE email_key = $1`);

export const storeNews = prepared(`
  INSERT INTO suppression (email_key, reason, changed_at) VALUES ($1, $2, $3)
  ON CONFLICT (email_key) DO UPDATE SET reason = excluded.reason, changed_at = excluded.changed_at`);

const setStatus = prepared("UPDATE subscriber SET status = $2, unsubscribed_at = $3 WHERE email_key = $1");

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
    const writes = [session.run(storeNews, [standing?.key ?? key, follows.standing.reason, follows.standing.at])];
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
