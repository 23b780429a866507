// Subscribers. What a subscription changes is decided in `rules/subscription.ts`; here it is written.
import type { Language } from "@submissions/shared/language";
import type { LinkPurpose, SubscriberStatus, SubscriptionRecord } from "../records.ts";
import { hashedKey } from "../rules/suppression.ts";
import { capMs } from "../rules/mails.ts";
import { newConsent } from "../rules/subscriber-row.ts";
import {
  decideSubscription,
  type KnownSubscriber,
  type SubscriptionDecision,
  tokensOf,
} from "../rules/subscription.ts";
import type { SqliteConnection } from "./connection.ts";

export function prepareSubscribers(connection: SqliteConnection) {
  const addressee = connection.prepare<[string, number, string], { mails: number; suppressed: number }>(`
    SELECT (SELECT count(*) FROM mail WHERE subscriber = ?1 AND created_at > ?2) AS mails,
      EXISTS (SELECT 1 FROM suppression WHERE email_key IN (?1, ?3) AND reason IS NOT NULL) AS suppressed`);
  const find = connection.prepare<[string], KnownSubscriber>(`
    SELECT status, welcomed_at AS welcomedAt, unsubscribed_at AS unsubscribedAt FROM subscriber WHERE email_key = ?`);
  const insert = connection.prepare<
    [string, string, SubscriberStatus, string, number, number | null, string, string, Language, string | null]
  >(`
    INSERT INTO subscriber (email_key, email, status, source, last_source, subscribed_at, welcomed_at, door, request_id,
      language, consent)
    VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`);
  const renew = connection.prepare<[SubscriberStatus, string, number | null, Language, string | null, string]>(`
    UPDATE subscriber SET status = ?1, last_source = ?2, welcomed_at = coalesce(?3, welcomed_at),
      unsubscribed_at = CASE WHEN ?1 = 'active' THEN NULL ELSE unsubscribed_at END, language = CASE status WHEN 'active' THEN language ELSE ?4 END,
      consent = coalesce(?5, consent)
    WHERE email_key = ?6`);
  const deleteExpired = connection.prepare<[string, number]>(
    "DELETE FROM newsletter_token WHERE email_key = ? AND expires_at <= ?",
  );
  const insertToken = connection.prepare<[string, string, LinkPurpose, number, number | null]>(`
    INSERT INTO newsletter_token (token_hash, email_key, purpose, created_at, expires_at) VALUES (?, ?, ?, ?, ?)`);

  return {
    /** Stores or renews a subscription, with the tokens of its welcome mail if that is to be stored. */
    subscribe(
      key: string,
      record: SubscriptionRecord,
    ): SubscriptionDecision & { readonly before: SubscriberStatus | undefined } {
      const known = find.get(key);
      const { mails = 0, suppressed = 0 } = addressee.get(key, record.receivedAt - capMs, hashedKey(key)) ?? {};
      const decision = decideSubscription(known, record, { suppressed: suppressed === 1, mailedInLastDay: mails });
      const { status, welcome } = decision;
      const { email, source, receivedAt, door, requestId, language } = record;
      const welcomedAt = welcome === "stored" ? receivedAt : null;
      const consent = newConsent(known, record);
      if (known !== undefined) renew.run(status, source, welcomedAt, language, consent, key);
      else insert.run(key, email, status, source, receivedAt, welcomedAt, door, requestId, language, consent);
      if (welcome === "stored") {
        // Links in earlier mails go on working: confirm links until they expire, unsubscribe links for good.
        deleteExpired.run(key, receivedAt);
        for (const { hash, purpose, expiresAt } of tokensOf(record)) {
          insertToken.run(hash, key, purpose, receivedAt, expiresAt);
        }
      }
      return { ...decision, before: known?.status };
    },
  };
}
