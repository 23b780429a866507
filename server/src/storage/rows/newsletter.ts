// Subscribers and their tokens as records and as rows, the same for every engine. Every row of a table has the same keys in the same order, so
// that an engine may compile its insert once. Knows no SQL.
import { emailKey } from "@submissions/shared/fields";
import type { StoredSubscriber, SubscriptionRecord } from "../records.ts";
import type { NewsletterTokenTable, SubscriberTable } from "../schema.ts";
import type { SubscriptionDecision } from "../rules/subscription.ts";

export function subscriberRow(
  subscription: SubscriptionRecord,
  { status, mailed }: SubscriptionDecision,
): SubscriberTable {
  return {
    email_key: emailKey(subscription.email),
    email: subscription.email,
    status,
    source: subscription.source,
    last_source: subscription.source,
    subscribed_at: subscription.receivedAt,
    welcomed_at: mailed ? subscription.receivedAt : null,
    confirmed_at: null,
    unsubscribed_at: null,
    door: subscription.origin.door,
    request_id: subscription.origin.requestId,
    email_disposable: Number(subscription.emailDisposable ?? false),
  };
}

/** All columns of {@link subscriberRow}. */
export const subscriberColumns = [
  "email_key",
  "email",
  "status",
  "source",
  "last_source",
  "subscribed_at",
  "welcomed_at",
  "confirmed_at",
  "unsubscribed_at",
  "door",
  "request_id",
  "email_disposable",
] as const satisfies readonly (keyof SubscriberTable)[];

/** What subscribing again changes in the row of an address. */
export const renewedColumns = (
  subscription: SubscriptionRecord,
  { status, mailed }: SubscriptionDecision,
): Partial<SubscriberTable> => ({
  status,
  last_source: subscription.source,
  email_disposable: Number(subscription.emailDisposable ?? false),
  ...(mailed && { welcomed_at: subscription.receivedAt }),
  ...(status === "active" && { unsubscribed_at: null }),
});

/** The tokens in the links of one welcome mail. With single opt-in there is nothing to confirm. */
export function tokenRows(subscription: SubscriptionRecord): NewsletterTokenTable[] {
  const { confirmTokenHash, confirmExpiresAt, unsubscribeTokenHash, receivedAt } = subscription;
  const token = (token_hash: string, purpose: NewsletterTokenTable["purpose"], expires_at: number | null) => ({
    token_hash,
    email_key: emailKey(subscription.email),
    purpose,
    created_at: receivedAt,
    expires_at,
  });
  const unsubscribe = token(unsubscribeTokenHash, "unsubscribe", null);
  if (subscription.optIn === "single") return [unsubscribe];
  return [token(confirmTokenHash, "confirm", confirmExpiresAt), unsubscribe];
}

export function storedSubscriber(row: SubscriberTable): StoredSubscriber {
  return {
    email: row.email,
    status: row.status,
    source: row.source,
    lastSource: row.last_source,
    subscribedAt: row.subscribed_at,
    confirmedAt: row.confirmed_at,
    unsubscribedAt: row.unsubscribed_at,
    emailDisposable: row.email_disposable === 1,
  };
}
