// Subscribers and their tokens in SQLite. What a subscription changes is decided in `../subscription.ts`; here it is
// written down. Its functions run inside a transaction that the store has opened, or read.
import { emailKey } from "@submissions/shared/fields";
import type { Position } from "../pages.ts";
import { subscriberQueries } from "../queries/newsletter.ts";
import type { StoredSubscriber, SubscriptionRecord } from "../records.ts";
import { renewedColumns, storedSubscriber, subscriberRow, tokenRows } from "../rows/newsletter.ts";
import type { NewsletterTokenTable, SubscriberTable } from "../schema.ts";
import { decideSubscription, type Mailable, type SubscriptionDecision } from "../rules/subscription.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface Subscribers {
  /** Stores or renews a subscription. Answers whether its welcome mail is to be stored, whose tokens then are. */
  subscribe(subscription: SubscriptionRecord, mailable: Mailable): boolean;
  readPage(after: Position, limit: number): readonly StoredSubscriber[];
}

export function subscribersOf({ connection, queries }: Engine): Subscribers {
  const query = subscriberQueries(queries);
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

  function renew(subscription: SubscriptionRecord, decision: SubscriptionDecision): void {
    const renewed = queries
      .updateTable("subscriber")
      .set(renewedColumns(subscription, decision))
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
    readPage: (after, limit) => connection.all(query.page(after, limit)).map(storedSubscriber),
  };
}
