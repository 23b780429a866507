// Subscribers. What a subscription changes is decided in `rules/subscription.ts`; here it is written, for many at once.
import type { WebhookEvent } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import { reached } from "../../failpoint.ts";
import type { SubscriberStatus, SubscriptionRecord } from "../records.ts";
import { justStored } from "../rules/leased-mail.ts";
import { capMs } from "../rules/mails.ts";
import { newConsent } from "../rules/subscriber-row.ts";
import { decideSubscription, type KnownSubscriber, tokensOf, welcomeOf, welcomeTokens } from "../rules/subscription.ts";
import { subscriberEvent } from "../rules/webhooks.ts";
import type { Accepted, Entry } from "../store.ts";
import { lockAddress, lockFreeAddresses, suppressedInSql } from "./addresses.ts";
import { prepared, rowsAs, type RowOf, valuesOf } from "./statement.ts";
import type { Connections } from "./connections.ts";
import { latestDeadline } from "./filing.ts";
import { challengeColumns, challengeRows, findTaken, keyColumns, keyRows, taking } from "./once.ts";
import { type Session, withId } from "./session.ts";

/** A subscription that is to be stored. */
export interface Subscribing {
  readonly entry: Entry;
  readonly record: SubscriptionRecord;
}

/** Another transaction holds the lock of the address; the other subscriptions of the batch do not wait for it. */
export interface AddressBusy {
  readonly result: "address-busy";
}

interface KnownRow extends Omit<KnownSubscriber, "status"> {
  /** Null: the address is new. */
  readonly status: SubscriberStatus | null;
  readonly suppressed: boolean;
  /** Newsletter mails that count for the cap. */
  readonly mails: number;
}

/** One row for each subscription, in their order. */
const findKnown = prepared<KnownRow>(`
  SELECT status, welcomed_at AS "welcomedAt", unsubscribed_at AS "unsubscribedAt",
    ${suppressedInSql("wanted.key")} AS suppressed,
    (SELECT count(*) FROM mail WHERE mail.subscriber = wanted.key AND mail.created_at > since) AS mails
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS wanted (key, since, place)
  LEFT JOIN subscriber ON email_key = wanted.key ORDER BY place`);

const subscriberColumns = {
  email_key: "text",
  email: "text",
  status: "text",
  source: "text",
  last_source: "text",
  subscribed_at: "bigint",
  welcomed_at: "bigint",
  door: "text",
  request_id: "text",
  language: "text",
  consent: "text",
} as const;

const tokenColumns = {
  token_hash: "text",
  email_key: "text",
  purpose: "text",
  created_at: "bigint",
  expires_at: "bigint",
} as const;

const welcomeColumns = {
  subscriber: "text",
  tokens: "text",
  created_at: "bigint",
  lease_owner: "text",
  lease_until: "bigint",
} as const;

/** Numbers of the first parameters. */
const tokensFirst = 1 + Object.keys(subscriberColumns).length;
const welcomesFirst = tokensFirst + Object.keys(tokenColumns).length;
const keysFirst = welcomesFirst + Object.keys(welcomeColumns).length;

// Links in earlier mails go on working: confirm links until they expire, unsubscribe links for good.
export const storeAll = prepared<{ id: number; subscriber: string; createdAt: number }>(`
  WITH ${withId},
  subscribers AS (
    INSERT INTO subscriber (${Object.keys(subscriberColumns).join(", ")})
    SELECT new.* FROM begun, ${rowsAs("new", subscriberColumns)}
    ON CONFLICT (email_key) DO UPDATE SET status = excluded.status, last_source = excluded.last_source,
      welcomed_at = excluded.welcomed_at,
      unsubscribed_at = CASE excluded.status WHEN 'active' THEN NULL ELSE subscriber.unsubscribed_at END,
      language = CASE subscriber.status WHEN 'active' THEN subscriber.language ELSE excluded.language END,
      consent = coalesce(excluded.consent, subscriber.consent)
  ),
  expired AS (
    DELETE FROM newsletter_token USING ${rowsAs("renewed", welcomeColumns, welcomesFirst)}
    WHERE newsletter_token.email_key = renewed.subscriber AND newsletter_token.expires_at <= renewed.created_at
  ),
  tokens AS (
    INSERT INTO newsletter_token (${Object.keys(tokenColumns).join(", ")})
    SELECT * FROM ${rowsAs("new", tokenColumns, tokensFirst)}
  ),
  welcomes AS (
    INSERT INTO mail (kind, subscriber, tokens, status, created_at, due_at, lease_owner, lease_until)
    SELECT 'newsletter-welcome', subscriber, tokens, 'queued', created_at, created_at, lease_owner, lease_until
    FROM ${rowsAs("new", welcomeColumns, welcomesFirst)}
    RETURNING id, subscriber, created_at AS "createdAt"
  ),
  stored AS (SELECT NULL::bigint AS number, NULL::bigint AS arrival),
  ${taking(keysFirst)}
  SELECT * FROM welcomes`);

/**
 * Stores or renews subscriptions in one transaction, each as if it came alone.
 *
 * @param waiting whether to wait for an address that is locked
 */
export function subscribeAll(
  connections: Connections,
  all: readonly Subscribing[],
  waiting: boolean,
): Promise<ReadonlyMap<Subscribing, Accepted | AddressBusy>> {
  const work = async (session: Session) => {
    const free = await lock(session, all, waiting);
    const answers = await subscribeIn(session, free);
    for (const one of all) if (!answers.has(one)) answers.set(one, { result: "address-busy" });
    reached("before-commit");
    return answers;
  };
  return connections.transaction(work, { find: findIn, deadline: latestDeadline(all) });
}

async function lock(session: Session, all: readonly Subscribing[], waiting: boolean): Promise<readonly Subscribing[]> {
  const keys = [...new Set(all.map(keyOf))];
  if (waiting) {
    for (const key of keys.toSorted()) await session.run(lockAddress, [key]);
    return all;
  }
  const locked = new Set((await session.all(lockFreeAddresses, [keys])).map(({ key }) => key));
  return all.filter((one) => locked.has(keyOf(one)));
}

/** The transaction's result if it was committed; null if it was not, or changed nothing that would come out otherwise. */
async function findIn(
  session: Session,
  answers: ReadonlyMap<Subscribing, Accepted | AddressBusy> = new Map(),
): Promise<ReadonlyMap<Subscribing, Accepted | AddressBusy> | null> {
  const stored = [...answers].filter(([, { result }]) => result === "accepted");
  const mailed = stored.find(([, answer]) => answer.result === "accepted" && answer.mails.length > 0);
  if (mailed !== undefined) {
    const [{ record }] = mailed;
    return (await session.all(findToken, [record.unsubscribe.hash])).length > 0 ? answers : null;
  }
  const jobs = stored.map(([job]) => job);
  return (await findTaken(session, jobs)).size > 0 ? answers : null;
}

const announce = prepared(`
  INSERT INTO webhook_delivery (webhook, event, subscriber, created_at, due_at)
  SELECT id, CAST($1 AS TEXT), $2, $3, $3 FROM webhook
  WHERE removed_at IS NULL AND events LIKE '%' || CAST($1 AS TEXT) || '%'`);

const findToken = prepared<object>("SELECT 1 FROM newsletter_token WHERE token_hash = $1");

async function subscribeIn(
  session: Session,
  all: readonly Subscribing[],
): Promise<Map<Subscribing, Accepted | AddressBusy>> {
  const answers = new Map<Subscribing, Accepted | AddressBusy>();
  if (all.length === 0) return answers;
  const rows = await session.all(findKnown, [all.map(keyOf), all.map(({ record }) => record.receivedAt - capMs)]);
  const changes = new Map<string, Change>();
  const welcomed: Subscribing[] = [];
  for (const [index, one] of all.entries()) {
    const key = keyOf(one);
    const change = changes.get(key) ?? new Change(rows[index] as KnownRow);
    changes.set(key, change);
    const welcome = change.subscribe(one.record, rows[index] as KnownRow);
    if (welcome === "stored") welcomed.push(one);
    const capped = welcome === "capped" ? (["newsletter-welcome"] as const) : [];
    answers.set(one, { result: "accepted", reference: null, mails: [], capped });
  }
  const keys = keyRows(all, (one) => ({ number: null, subscriber: keyOf(one) }));
  reached("row-written");
  const stored = await session.all(storeAll, [
    ...valuesOf(
      subscriberColumns,
      [...changes].map(([key, change]) => change.row(key)),
    ),
    ...valuesOf(tokenColumns, welcomed.flatMap(tokenRows)),
    ...valuesOf(welcomeColumns, welcomed.map(welcomeRow)),
    ...valuesOf(keyColumns, keys),
    ...valuesOf(challengeColumns, challengeRows(all)),
  ]);
  for (const [key, { event, at }] of changes) if (event !== null) await session.run(announce, [event, key, at]);
  for (const one of welcomed) answers.set(one, welcomedAnswer(one, stored));
  return answers;
}

/** What some subscriptions change of one address, one after the other. */
class Change {
  readonly #before: SubscriberStatus | undefined;
  #known: KnownSubscriber | undefined;
  readonly #records: SubscriptionRecord[] = [];
  #mails = 0;
  #consent: string | null = null;

  constructor({ status, welcomedAt, unsubscribedAt }: KnownRow) {
    this.#before = status ?? undefined;
    this.#known = status === null ? undefined : { status, welcomedAt, unsubscribedAt };
  }

  subscribe(record: SubscriptionRecord, { suppressed, mails }: KnownRow) {
    const addressee = { suppressed, mailedInLastDay: mails + this.#mails };
    const { status, welcome } = decideSubscription(this.#known, record, addressee);
    if (welcome === "stored") this.#mails += 1;
    this.#consent = newConsent(this.#known, record) ?? this.#consent;
    const { welcomedAt = null, unsubscribedAt = null } = this.#known ?? {};
    this.#known = {
      status,
      welcomedAt: welcome === "stored" ? record.receivedAt : welcomedAt,
      unsubscribedAt: status === "active" ? null : unsubscribedAt,
    };
    this.#records.push(record);
    return welcome;
  }

  /** What webhooks are told of it. */
  get event(): WebhookEvent | null {
    return this.#known === undefined ? null : subscriberEvent(this.#before, this.#known.status);
  }

  /** When the latest of them came in. */
  get at(): number {
    return this.#records.at(-1)?.receivedAt ?? 0;
  }

  row(key: string): RowOf<typeof subscriberColumns> {
    const [first, last] = [this.#records[0], this.#records.at(-1)] as [SubscriptionRecord, SubscriptionRecord];
    return {
      email_key: key,
      email: first.email,
      status: this.#known?.status ?? null,
      source: first.source,
      last_source: last.source,
      subscribed_at: first.receivedAt,
      welcomed_at: this.#known?.welcomedAt ?? null,
      door: first.door,
      request_id: first.requestId,
      language: last.language,
      consent: this.#consent,
    };
  }
}

const keyOf = ({ record }: Subscribing): string => emailKey(record.email);

const tokenRows = ({ record }: Subscribing): RowOf<typeof tokenColumns>[] =>
  tokensOf(record).map(({ hash, purpose, expiresAt }) => ({
    token_hash: hash,
    email_key: emailKey(record.email),
    purpose,
    created_at: record.receivedAt,
    expires_at: expiresAt,
  }));

const welcomeRow = ({ record, entry }: Subscribing): RowOf<typeof welcomeColumns> => ({
  subscriber: emailKey(record.email),
  tokens: welcomeTokens(welcomeOf(record)),
  created_at: record.receivedAt,
  lease_owner: entry.lease.owner,
  lease_until: entry.lease.until,
});

/** An address gets at most one welcome mail of an instant. */
function welcomedAnswer(
  { record, entry }: Subscribing,
  stored: readonly { readonly id: number; readonly subscriber: string; readonly createdAt: number }[],
): Accepted {
  const createdAt = record.receivedAt;
  const row = stored.find((one) => one.subscriber === emailKey(record.email) && one.createdAt === createdAt);
  if (row === undefined) throw new Error("A welcome mail that was stored is missing in the answer.");
  const mail = justStored(row.id, "newsletter-welcome", { welcome: welcomeOf(record) }, createdAt, entry.lease);
  return { result: "accepted", reference: null, mails: [mail], capped: [] };
}
