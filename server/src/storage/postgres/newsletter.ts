// Subscribers and their tokens in PostgreSQL. What a subscription changes is decided in `../subscription.ts`; here it is
// written down, for many at once. The locks of their addresses are held.
import { emailKey } from "@submissions/shared/fields";
import { sql } from "kysely";
import type { Queries } from "../queries/compile.ts";
import type { SubscriptionRecord } from "../records.ts";
import { renewedColumns, subscriberColumns, subscriberRow, tokenRows } from "../rows/newsletter.ts";
import type { MailTable, SubscriberTable } from "../schema.ts";
import { decideSubscription } from "../rules/subscription.ts";
import type { Addressees } from "./addressees.ts";
import type { Session } from "./connections.ts";
import { anyOf, insertAll } from "./queries.ts";

interface Subscribing {
  readonly subscription?: SubscriptionRecord;
  readonly mails: readonly MailTable[];
}

/** Stores or renews subscriptions, one after the other. Answers those whose welcome mail is to be stored. */
export async function subscribeAll<One extends Subscribing>(
  queries: Queries,
  session: Session,
  all: readonly One[],
  addressees: Addressees,
): Promise<ReadonlySet<One>> {
  const asked = all.flatMap(({ subscription }) => subscription ?? []);
  const welcomed = new Set<One>();
  if (asked.length === 0) return welcomed;
  const rows = await readSubscribers(queries, session, asked);
  for (const one of all) {
    if (one.subscription === undefined) continue;
    const key = emailKey(one.subscription.email);
    const row = rows.get(key);
    const mailable = addressees.mayMail(key, one.subscription.receivedAt);
    const decision = decideSubscription(row && knownOf(row), one.subscription, mailable);
    if (row === undefined) rows.set(key, subscriberRow(one.subscription, decision));
    else rows.set(key, { ...row, ...renewedColumns(one.subscription, decision) });
    if (decision.mailed) welcomed.add(one);
    if (decision.mailed) addressees.admit(one.mails, one.subscription.receivedAt);
  }
  await writeSubscribers(queries, session, [...rows.values()]);
  await storeTokens(
    queries,
    session,
    [...welcomed].flatMap(({ subscription }) => subscription ?? []),
  );
  return welcomed;
}

const knownOf = ({ status, welcomed_at: welcomedAt, unsubscribed_at: unsubscribedAt }: SubscriberTable) => ({
  status,
  welcomedAt,
  unsubscribedAt,
});

async function readSubscribers(queries: Queries, session: Session, asked: readonly SubscriptionRecord[]) {
  const keys = asked.map(({ email }) => emailKey(email));
  // Only the columns that this version knows: they are written back, and a newer one may have added others.
  const known = queries.selectFrom("subscriber").select(subscriberColumns).where("email_key", "=", anyOf(keys));
  return new Map((await session.all(known.compile())).map((row) => [row.email_key, row]));
}

async function writeSubscribers(queries: Queries, session: Session, rows: readonly SubscriberTable[]): Promise<void> {
  const changed = sql.join(
    subscriberColumns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`),
  );
  await session.run(insertAll(queries, "subscriber", rows, sql`ON CONFLICT (email_key) DO UPDATE SET ${changed}`));
}

// Links in earlier mails go on working: confirm links until they expire, unsubscribe links for good.
async function storeTokens(queries: Queries, session: Session, welcomed: readonly SubscriptionRecord[]): Promise<void> {
  if (welcomed.length === 0) return;
  const keys = welcomed.map(({ email }) => emailKey(email));
  const times = welcomed.map(({ receivedAt }) => receivedAt);
  const expired = sql`DELETE FROM newsletter_token
    USING unnest(${keys}::text[], ${times}::bigint[]) AS renewed (email_key, at)
    WHERE newsletter_token.email_key = renewed.email_key AND newsletter_token.expires_at <= renewed.at`;
  await session.run(expired.compile(queries));
  await session.run(insertAll(queries, "newsletter_token", welcomed.flatMap(tokenRows)));
}
