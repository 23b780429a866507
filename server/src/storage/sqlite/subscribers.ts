// Subscribers, and the links in their mails. What changes is decided in `rules/subscription.ts`; here it is written.
import type { Language } from "@submissions/shared/language";
import type { FollowedLink, LinkPurpose, SubscriberStatus, SubscriptionRecord } from "../records.ts";
import { hashedKey } from "../rules/erasing.ts";
import { capMs } from "../rules/mails.ts";
import { newConsent } from "../rules/subscriber-row.ts";
import {
  decideSubscription,
  type KnownSubscriber,
  linkWorks,
  type SubscriptionDecision,
  tokensOf,
} from "../rules/subscription.ts";
import { subscriberEvent } from "../rules/webhooks.ts";
import type { Store } from "../store.ts";
import type { Announcements } from "./announcements.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

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

/** Deletes the confirm links of an address. */
export const prepareUnlink = (connection: SqliteConnection) =>
  connection.prepare<[key: string]>("DELETE FROM newsletter_token WHERE email_key = ? AND purpose = 'confirm'");

export function makeLinks(connection: SqliteConnection, run: RunJob, announcements: Announcements) {
  const find = connection.prepare<[string, LinkPurpose, number], { key: string; status: SubscriberStatus }>(`
    SELECT subscriber.email_key AS key, subscriber.status
    FROM newsletter_token AS token JOIN subscriber ON subscriber.email_key = token.email_key
    WHERE token.token_hash = ? AND token.purpose = ? AND (token.expires_at IS NULL OR token.expires_at > ?)`);
  // The first time counts, also for a subscriber who became active without confirming.
  const confirm = connection.prepare<[number, string]>(`
    UPDATE subscriber SET status = 'active', confirmed_at = ?, unsubscribed_at = NULL
    WHERE email_key = ? AND (status <> 'active' OR confirmed_at IS NULL)`);
  // The first time since the latest welcome mail counts: leaving twice must not earn the address another one.
  const leave = connection.prepare<[number, string]>(`
    UPDATE subscriber SET status = 'unsubscribed', unsubscribed_at = ? WHERE email_key = ?
      AND (status IN ('pending', 'active') OR (status = 'unsubscribed' AND welcomed_at > unsubscribed_at))`);
  // Kept for the case that the bounce is explained by something else later.
  const leaveBounced = connection.prepare<[number, string]>(`
    UPDATE subscriber SET unsubscribed_at = ? WHERE email_key = ? AND status = 'bounced' AND unsubscribed_at IS NULL`);
  const unlink = prepareUnlink(connection);

  function holderOf(purpose: LinkPurpose, { tokenHash, at }: FollowedLink) {
    const holder = find.get(tokenHash, purpose, at);
    return holder !== undefined && linkWorks(purpose, holder.status) ? holder : null;
  }

  /** Changes the subscriber who holds the link, and announces the new status. False when the link does not work. */
  const follow = (
    purpose: LinkPurpose,
    becomes: "active" | "unsubscribed",
    link: FollowedLink,
    change: (key: string) => void,
  ) =>
    run(() => {
      const holder = holderOf(purpose, link);
      if (holder === null) return false;
      change(holder.key);
      announcements.ofSubscriber(subscriberEvent(holder.status, becomes), holder.key, link.at);
      return true;
    });

  return {
    checkLink: (purpose, link) => retryWhileBusy(() => holderOf(purpose, link) !== null),

    confirmSubscription: (link) => follow("confirm", "active", link, (key) => confirm.run(link.at, key)),

    unsubscribe: (link) =>
      follow("unsubscribe", "unsubscribed", link, (key) => {
        leave.run(link.at, key);
        leaveBounced.run(link.at, key);
        unlink.run(key);
      }),
  } satisfies Partial<Store>;
}
