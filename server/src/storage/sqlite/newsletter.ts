// Subscribers and their tokens in SQLite. What a subscription changes is decided in `../subscription.ts`; here it is
// written down. Its functions run inside a transaction that the store has opened, or read.
import { emailKey } from "@submissions/shared/fields";
import type { StoredSubscriber, SubscriptionRecord } from "../records.ts";
import { storedSubscriber, subscriberRow, tokenRows } from "../rows/newsletter.ts";
import type { NewsletterTokenTable, SubscriberTable } from "../schema.ts";
import { decideSubscription, type Mailable, type SubscriptionDecision } from "../subscription.ts";
import type { Position, ReadPage } from "./pages.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface Subscribers {
  /** Stores or renews a subscription. Answers whether its welcome mail is to be stored, whose tokens then are. */
  subscribe(subscription: SubscriptionRecord, mailable: Mailable): boolean;
  readonly readPage: ReadPage<StoredSubscriber>;
}

export function subscribersOf({ connection, queries }: Engine): Subscribers {
  const insert = insertOf<SubscriberTable>(connection, (row) => queries.insertInto("subscriber").values(row));
  const insertToken = insertOf<NewsletterTokenTable>(connection, (row) =>
    queries.insertInto("newsletter_token").values(row),
  );

  function findKnown(key: string) {
    const known = queries
      .selectFrom("subscriber")
      .select(["status", "welcomed_at as welcomedAt", "unsubscribed_at as unsubscribedAt"])
      .where("email_key", "=", key);
    return connection.all(known.compile())[0];
  }

  function renew(subscription: SubscriptionRecord, { status, mailed }: SubscriptionDecision): void {
    const renewed = queries
      .updateTable("subscriber")
      .set({
        status,
        last_source: subscription.source,
        email_disposable: Number(subscription.emailDisposable ?? false),
        ...(mailed && { welcomed_at: subscription.receivedAt }),
        ...(status === "active" && { unsubscribed_at: null }),
      })
      .where("email_key", "=", emailKey(subscription.email));
    connection.run(renewed.compile());
  }

  // Links in earlier mails go on working: confirm links until they expire, unsubscribe links for good.
  function storeTokens(subscription: SubscriptionRecord): void {
    const expired = queries
      .deleteFrom("newsletter_token")
      .where("email_key", "=", emailKey(subscription.email))
      .where("expires_at", "<=", subscription.receivedAt);
    connection.run(expired.compile());
    for (const token of tokenRows(subscription)) insertToken(token);
  }

  return {
    subscribe(subscription, mailable) {
      const known = findKnown(emailKey(subscription.email));
      const decision = decideSubscription(known, subscription, mailable);
      if (known === undefined) insert(subscriberRow(subscription, decision));
      else renew(subscription, decision);
      if (decision.mailed) storeTokens(subscription);
      return decision.mailed;
    },
    readPage(after, limit) {
      const page = queries
        .selectFrom("subscriber")
        .selectAll()
        .where(({ eb, refTuple, tuple }) => eb(refTuple("subscribed_at", "email_key"), ">", tuple(after.at, after.key)))
        .orderBy("subscribed_at")
        .orderBy("email_key")
        .limit(limit);
      return connection.all(page.compile()).map(storedSubscriber);
    },
  };
}

/** Where a subscriber stands in the order of exports. */
export const subscribedPosition = (row: StoredSubscriber): Position => ({
  at: row.subscribedAt,
  key: emailKey(row.email),
});
