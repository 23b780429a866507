// What has to be known to decide about a batch. Each look-up is one text for one thing: SQLite runs it for each thing,
// PostgreSQL for all of them in one statement.
import { emailKey } from "@submissions/shared/fields";
import type { WebhookEvent } from "@submissions/shared/console";
import { referenceDay } from "@submissions/shared/reference";
import { capMs, idempotencyMs, receiptsMax } from "../limits.ts";
import type { EarlierSubmission, IdempotencyRecord, TriageStatus } from "../records.ts";
import type { Entry } from "../store.ts";
import { quoted } from "./columns.ts";
import { receiptKinds } from "./mails.ts";
import { hashedKey, isLeftKey, leftKey } from "./suppression.ts";
import { type Columns, type RowOf, tables, type TableRow } from "./tables.ts";
import { receivedEvent } from "./webhooks.ts";

export interface Taken {
  readonly createdAt: number;
  readonly earlier: EarlierSubmission;
}

/** What is known of an address. Mails are known by when they were stored. */
export interface Addressee {
  suppressed: boolean;
  /** Had left the newsletter before it was erased. Only looked up for what an operator adds. */
  left: boolean;
  readonly receipts: number[];
  readonly newsletters: number[];
  subscriber: TableRow<"subscriber"> | undefined;
}

/** Everything that is known. Deciding about one entry changes it for those behind it. */
export interface Facts {
  /** By {@link keyName}. */
  readonly taken: Map<string, Taken>;
  /** Hashes of challenges. */
  readonly spent: Set<string>;
  /** By the keys of the addresses, and by the hashes of these. */
  readonly addressees: ReadonlyMap<string, Addressee>;
  /** How many references of a day are taken, by {@link dayName}. */
  readonly counters: Map<string, number>;
  /** Ids of the webhooks that get an event. */
  readonly webhooks: Map<WebhookEvent, number[]>;
}

interface EarlierRow extends IdempotencyRecord, Pick<EarlierSubmission, "reference"> {
  /** Null: it was a subscription. */
  readonly status: TriageStatus | null;
  /** 1 or 0. */
  readonly receiptSent: number;
}

interface OneMail {
  readonly key: string;
  readonly at: number;
}

interface LookUpOf<Of extends Columns, Row> {
  /** The parameters of the text, in their order. */
  readonly wanted: Of;
  /** Each row says what it was found for. Quoted names keep their case on both engines. */
  readonly text: string;
  /** Whether it finds one row at the most. */
  readonly findsOne: boolean;
  note(facts: Facts, row: Row): void;
}

const lookUp = <const Of extends Columns, Row>(one: LookUpOf<Of, Row>) => one;

export const lookUps = {
  earlier: lookUp({
    wanted: { procedure: "text", key_hash: "text" },
    text: `SELECT procedure, key_hash AS "keyHash", fingerprint, created_at AS "createdAt", reference, submission.status,
        CASE WHEN EXISTS (SELECT 1 FROM mail WHERE mail.submission = submission.arrival AND mail.status = 'sent'
          AND mail.kind IN (${quoted(receiptKinds)})) THEN 1 ELSE 0 END AS "receiptSent"
      FROM idempotency LEFT JOIN submission ON submission.arrival = idempotency.submission
      WHERE procedure = $1 AND key_hash = $2`,
    findsOne: true,
    note: ({ taken }, row: EarlierRow) =>
      taken.set(keyName(row), { createdAt: row.createdAt, earlier: earlierOf(row) }),
  }),
  spent: lookUp({
    wanted: { hash: "text" },
    text: "SELECT challenge_hash AS hash FROM spent_challenge WHERE challenge_hash = $1",
    findsOne: true,
    note: ({ spent }, { hash }: { readonly hash: string }) => spent.add(hash),
  }),
  suppressed: lookUp({
    wanted: { key: "text" },
    text: "SELECT email_key AS key FROM suppression WHERE email_key = $1 AND reason IS NOT NULL",
    findsOne: true,
    note: (facts, { key }: { readonly key: string }) => {
      addresseeOf(facts, key)[isLeftKey(key) ? "left" : "suppressed"] = true;
    },
  }),
  // The latest are enough to know whether a cap is reached at any instant. What was sent again is capped itself.
  receipts: lookUp({
    wanted: { key: "text", since: "bigint", until: "bigint" },
    text: `SELECT key, at FROM (
        SELECT * FROM (SELECT email_key AS key, receipt_at AS at FROM submission
          WHERE email_key = $1 AND receipt_at > $2 AND receipt_at < $3
          ORDER BY receipt_at DESC LIMIT ${receiptsMax}) AS first
        UNION ALL
        SELECT again_key AS key, again_at AS at FROM mail
        WHERE again_key = $1 AND again_at > $2 AND again_at < $3 AND kind <> 'newsletter-welcome'
      ) AS receipts`,
    findsOne: false,
    note: (facts, { key, at }: OneMail) => addresseeOf(facts, key).receipts.push(at),
  }),
  newsletters: lookUp({
    wanted: { key: "text", since: "bigint", until: "bigint" },
    text: `SELECT key, at FROM (
        SELECT subscriber AS key, created_at AS at FROM mail
        WHERE subscriber = $1 AND created_at > $2 AND created_at < $3
        UNION ALL
        SELECT again_key AS key, again_at AS at FROM mail
        WHERE again_key = $1 AND again_at > $2 AND again_at < $3 AND kind = 'newsletter-welcome'
      ) AS newsletters`,
    findsOne: false,
    note: (facts, { key, at }: OneMail) => addresseeOf(facts, key).newsletters.push(at),
  }),
  subscriber: lookUp({
    wanted: { key: "text" },
    text: `SELECT ${Object.keys(tables.subscriber.columns).join(", ")} FROM subscriber WHERE email_key = $1`,
    findsOne: true,
    note: (facts, row: TableRow<"subscriber">) => {
      addresseeOf(facts, row.email_key as string).subscriber = row;
    },
  }),
  counters: lookUp({
    wanted: { kind: "text", day: "bigint" },
    // The limit makes PostgreSQL look up each by itself: of a small table it would compare every row.
    text: "SELECT kind, day, taken FROM day_counter WHERE kind = $1 AND day = $2 LIMIT 1",
    findsOne: true,
    note: ({ counters }, row: TableRow<"day_counter">) => counters.set(dayName(row), row.taken as number),
  }),
  // No name of an event is a part of another.
  webhooks: lookUp({
    wanted: { event: "text" },
    text: `SELECT CAST($1 AS TEXT) AS event, id FROM webhook
      WHERE removed_at IS NULL AND events LIKE '%' || CAST($1 AS TEXT) || '%'`,
    findsOne: false,
    note: ({ webhooks }, { event, id }: { readonly event: WebhookEvent; readonly id: number }) =>
      webhooks.getOrInsertComputed(event, () => []).push(id),
  }),
};

export type LookUp = keyof typeof lookUps;
export const lookUpNames = Object.keys(lookUps) as LookUp[];
export const lookUpOf = (name: LookUp) => lookUps[name] as unknown as LookUpOf<Columns, object>;

/** What is asked for in each look-up. */
export type Wanted = { readonly [Name in LookUp]: readonly RowOf<(typeof lookUps)[Name]["wanted"]>[] };

/** Numbers that no row has. Deciding takes them from the front. */
export type Numbers = Record<"arrivals" | "mails", number[]>;

export function addresseeOf({ addressees }: Facts, key: string): Addressee {
  const addressee = addressees.get(key);
  if (addressee === undefined) throw new Error("An address was not looked up.");
  return addressee;
}

export const keyName = ({ procedure, keyHash }: Pick<IdempotencyRecord, "procedure" | "keyHash">): string =>
  `${procedure} ${keyHash}`;
export const dayName = ({ kind, day }: RowOf<(typeof lookUps)["counters"]["wanted"]>): string => `${kind} ${day}`;

/** Whether a key that was taken stands for a submission: for a day after it was taken. */
export const stands = ({ createdAt }: Pick<Taken, "createdAt">, key: IdempotencyRecord): boolean =>
  createdAt > key.createdAt - idempotencyMs;

export const earlierOf = ({ fingerprint, reference, status, receiptSent }: EarlierRow): EarlierSubmission => ({
  fingerprint,
  reference,
  receiptSent: receiptSent === 1,
  spam: status === "spam",
});

/** An entry with the key of its address. */
export interface AddressedEntry extends Entry {
  readonly emailKey: string;
}

export const addressed = (entry: Entry): AddressedEntry => ({ ...entry, emailKey: emailKey(entry.submission.email) });

/** What has to be looked up for some entries, what is known before that, and how many numbers they can need. */
export function wantedBy(entries: readonly AddressedEntry[]) {
  const days = new Map<string, Wanted["counters"][number]>();
  const keys = new Map<string, IdempotencyRecord>();
  const challenges = new Set<string>();
  const receivers = new Set<string>();
  const readers = new Set<string>();
  const addedReaders = new Set<string>();
  const events = new Set<WebhookEvent>();
  let [arrivals, mails] = [0, 0];
  let [since, until] = [Infinity, 0];
  for (const { submission, emailKey: address, key, challenge, spam } of entries) {
    if (key !== null) keys.set(keyName(key), key);
    if (challenge !== null) challenges.add(challenge.hash);
    since = Math.min(since, submission.receivedAt - capMs);
    until = Math.max(until, submission.receivedAt + capMs);
    if (submission.kind === "subscription") {
      if (spam) continue;
      readers.add(address);
      if (submission.added !== undefined) addedReaders.add(address);
      events.add("subscriber.confirmed");
      mails += 1;
      continue;
    }
    const { kind, receivedAt } = submission;
    const day = referenceDay(receivedAt);
    days.set(dayName({ kind, day }), { kind, day });
    arrivals += 1;
    if (spam) continue;
    receivers.add(address);
    events.add(receivedEvent(kind));
    mails += 2;
  }
  const addressees = new Map<string, Addressee>();
  const suppressed: { key: string }[] = [];
  for (const key of receivers.union(readers)) {
    const hash = hashedKey(key);
    const unknown: Addressee = { suppressed: false, left: false, receipts: [], newsletters: [], subscriber: undefined };
    addressees.set(key, unknown).set(hash, unknown);
    suppressed.push({ key }, { key: hash });
    if (!addedReaders.has(key)) continue;
    const left = leftKey(key);
    addressees.set(left, unknown);
    suppressed.push({ key: left });
  }
  const facts: Facts = { taken: new Map(), spent: new Set(), addressees, counters: new Map(), webhooks: new Map() };
  const wanted: Wanted = {
    earlier: [...keys.values()].map(({ procedure, keyHash: key_hash }) => ({ procedure, key_hash })),
    spent: [...challenges].map((hash) => ({ hash })),
    suppressed,
    receipts: [...receivers].map((key) => ({ key, since, until })),
    newsletters: [...readers].map((key) => ({ key, since, until })),
    subscriber: [...readers].map((key) => ({ key })),
    counters: [...days.values()],
    webhooks: [...events].map((event) => ({ event })),
  };
  return { wanted, facts, numbers: { arrivals, mails } };
}
