// The addresses that must not be mailed. What news of an address changes is decided in `rules/suppression.ts`; here it is
// written.
import { emailKey } from "@submissions/shared/fields";
import type { SubscriberStatus, SuppressionChange, SuppressionReason } from "../records.ts";
import { hashedKey } from "../rules/erasing.ts";
import { decideNews, type KnownAddressee, type Standing } from "../rules/suppression.ts";
import { subscriberEvent } from "../rules/webhooks.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareUnlink } from "./subscribers.ts";
import type { Announcements } from "./announcements.ts";

export type Suppressions = ReturnType<typeof prepareSuppressions>;

export function prepareSuppressions(connection: SqliteConnection, announcements: Announcements) {
  // Of an erased address only a hash is kept.
  const find = connection.prepare<[string, string], Standing & { key: string }>(
    "SELECT email_key AS key, reason, changed_at AS at FROM suppression WHERE email_key IN (?, ?)",
  );
  const findSubscriber = connection.prepare<[string], Omit<KnownAddressee, "hasConfirmLink"> & { linked: number }>(`
    SELECT status, welcomed_at AS welcomedAt, confirmed_at AS confirmedAt, unsubscribed_at AS unsubscribedAt,
      EXISTS (SELECT 1 FROM newsletter_token AS token
        WHERE token.email_key = subscriber.email_key AND purpose = 'confirm') AS linked
    FROM subscriber WHERE email_key = ?`);
  const write = connection.prepare<[string, SuppressionReason | null, number]>(
    "INSERT OR REPLACE INTO suppression (email_key, reason, changed_at) VALUES (?, ?, ?)",
  );
  const setStatus = connection.prepare<[SubscriberStatus, number | null, string]>(
    "UPDATE subscriber SET status = ?, unsubscribed_at = ? WHERE email_key = ?",
  );
  const unlink = prepareUnlink(connection);
  const addresseeOf = connection.prepare<[number, number, string], { email: string }>(`
    SELECT coalesce(submission.email, subscriber.email) AS email FROM mail
    LEFT JOIN submission ON submission.arrival = mail.submission
    LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber
    WHERE mail.id = ? AND mail.created_at = ? AND mail.lease_owner = ?
      AND mail.kind IN ('inquiry-receipt', 'application-receipt', 'newsletter-welcome')`);

  /** Answers whether the change was news. */
  function note(change: SuppressionChange): boolean {
    const key = emailKey(change.email);
    const subscriber = findSubscriber.get(key);
    const known = subscriber === undefined ? undefined : { ...subscriber, hasConfirmLink: subscriber.linked === 1 };
    const standing = find.get(key, hashedKey(key));
    const follows = decideNews(change, standing, known);
    if (follows === null) return false;
    write.run(standing?.key ?? key, follows.standing.reason, follows.standing.at);
    if (follows.change !== null) {
      setStatus.run(follows.change.status, follows.change.unsubscribedAt, key);
      announcements.ofSubscriber(subscriberEvent(subscriber?.status, follows.change.status), key, change.at);
    }
    if (follows.deletesConfirmLinks) unlink.run(key);
    return true;
  }

  return {
    note,
    /** Notes that the recipient of a mail was refused, if the mail is the owner's and not for the team. */
    noteRefusal(row: number, createdAt: number, owner: string, at: number): void {
      const addressee = addresseeOf.get(row, createdAt, owner);
      if (addressee !== undefined) note({ email: addressee.email, reason: "inactive", at });
    },
  };
}
