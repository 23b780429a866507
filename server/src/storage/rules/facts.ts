// What has to be known to decide about a batch. Each look-up is one text for one thing: SQLite runs it for each thing,
// PostgreSQL for all of them in one statement.
import { emailKey } from "@submissions/shared/fields";
import type { WebhookEvent } from "@submissions/shared/console";
import { referenceDay } from "@submissions/shared/reference";
import type { EarlierSubmission, IdempotencyRecord, SubmissionKind, TriageStatus } from "../records.ts";
import { type Entry, idempotencyMs } from "../store.ts";
import { capMs, receiptsMax } from "./mails.ts";
import { hashedKey } from "./suppression.ts";
import { type Columns, type RowOf, tables, type TableRow } from "./tables.ts";
import { receivedEvent } from "./webhooks.ts";

/**
 * The parameters of a text are its wanted columns, in their order. Each row says what it was found for. Quoted names keep
 * their case on both engines.
 */
export const lookUps = {
  earlier: {
    wanted: { procedure: "text", key_hash: "text" },
    text: `SELECT procedure, key_hash AS "keyHash", fingerprint, created_at AS "createdAt", reference, submission.status,
        CASE WHEN EXISTS (SELECT 1 FROM mail WHERE mail.submission = submission.arrival AND mail.status = 'sent'
          AND mail.kind IN ('inquiry-receipt', 'application-receipt')) THEN 1 ELSE 0 END AS "receiptSent"
      FROM idempotency LEFT JOIN submission ON submission.arrival = idempotency.submission
      WHERE procedure = $1 AND key_hash = $2`,
  },
  spent: {
    wanted: { hash: "text" },
    text: "SELECT challenge_hash AS hash FROM spent_challenge WHERE challenge_hash = $1",
  },
  suppressed: {
    wanted: { key: "text" },
    text: "SELECT email_key AS key FROM suppression WHERE email_key = $1 AND reason IS NOT NULL",
  },
  // The latest are enough to tell whether a cap is reached, at whichever instant. What was sent again is capped itself.
  receipts: {
    wanted: { key: "text", since: "bigint", until: "bigint" },
    text: `SELECT key, at FROM (
        SELECT * FROM (SELECT email_key AS key, receipt_at AS at FROM submission
          WHERE email_key = $1 AND receipt_at > $2 AND receipt_at < $3
          ORDER BY receipt_at DESC LIMIT ${receiptsMax}) AS first
        UNION ALL
        SELECT again_key AS key, again_at AS at FROM mail
        WHERE again_key = $1 AND again_at > $2 AND again_at < $3 AND kind <> 'newsletter-welcome'
      ) AS receipts`,
  },
  newsletters: {
    wanted: { key: "text", since: "bigint", until: "bigint" },
    text: `SELECT key, at FROM (
        SELECT subscriber AS key, created_at AS at FROM mail
        WHERE subscriber = $1 AND created_at > $2 AND created_at < $3
        UNION ALL
        SELECT again_key AS key, again_at AS at FROM mail
        WHERE again_key = $1 AND again_at > $2 AND again_at < $3 AND kind = 'newsletter-welcome'
      ) AS newsletters`,
  },
  subscriber: {
    wanted: { key: "text" },
    text: `SELECT ${Object.keys(tables.subscriber.columns).join(", ")} FROM subscriber WHERE email_key = $1`,
  },
  counters: {
    wanted: { kind: "text", day: "bigint" },
    // The limit makes PostgreSQL look up each by itself: of a small table it would compare every row.
    text: "SELECT kind, day, taken FROM day_counter WHERE kind = $1 AND day = $2 LIMIT 1",
  },
  // No name of an event is a part of another.
  hearers: {
    wanted: { event: "text" },
    text: `SELECT CAST($1 AS TEXT) AS event, id FROM webhook
      WHERE removed_at IS NULL AND events LIKE '%' || CAST($1 AS TEXT) || '%'`,
  },
} as const satisfies Record<string, { readonly wanted: Columns; readonly text: string }>;

export type LookUp = keyof typeof lookUps;
export const lookUpNames = Object.keys(lookUps) as LookUp[];

/** What is asked for in each look-up. */
export type Wanted = { readonly [Name in LookUp]: readonly RowOf<(typeof lookUps)[Name]["wanted"]>[] };

/** What each look-up answers with. */
interface FoundRows {
  readonly earlier: EarlierRow;
  readonly spent: { readonly hash: string };
  readonly suppressed: { readonly key: string };
  readonly receipts: { readonly key: string; readonly at: number };
  readonly newsletters: { readonly key: string; readonly at: number };
  readonly subscriber: TableRow<"subscriber">;
  readonly counters: { readonly kind: SubmissionKind; readonly day: number; readonly taken: number };
  readonly hearers: { readonly event: WebhookEvent; readonly id: number };
}

interface EarlierRow extends Pick<EarlierSubmission, "fingerprint" | "reference"> {
  readonly procedure: string;
  readonly keyHash: string;
  readonly createdAt: number;
  /** Null: it was no inquiry or application. */
  readonly status: TriageStatus | null;
  /** 1 or 0. */
  readonly receiptSent: number;
}

/** A row that was found, and by which look-up. */
export type FoundRow = { readonly [Name in LookUp]: { readonly name: Name; readonly row: FoundRows[Name] } }[LookUp];

/** A key that is taken. */
export interface Taken {
  readonly createdAt: number;
  readonly earlier: EarlierSubmission;
}

/** What is known of an address. Mails are known by when they were stored. */
export interface Addressee {
  suppressed: boolean;
  receipts: number[];
  newsletters: number[];
  subscriber: TableRow<"subscriber"> | undefined;
}

/** Everything that is known. Deciding about one entry changes it for those behind it. */
export type Facts = ReturnType<typeof factsOf>;

/** Numbers that no row has. Deciding takes them from the front. */
export type Numbers = Record<"arrivals" | "mails", number[]>;

export const keyName = ({ procedure, keyHash }: Pick<IdempotencyRecord, "procedure" | "keyHash">): string =>
  `${procedure} ${keyHash}`;
export const dayName = ({ kind, day }: RowOf<(typeof lookUps)["counters"]["wanted"]>): string => `${kind} ${day}`;

/** Whether a key that was taken stands for a submission: for a day after it was taken. */
export const holds = ({ createdAt }: Pick<Taken, "createdAt">, key: IdempotencyRecord): boolean =>
  createdAt > key.createdAt - idempotencyMs;

export const earlierOf = ({ fingerprint, reference, status, receiptSent }: EarlierRow): EarlierSubmission => ({
  fingerprint,
  reference,
  receiptSent: receiptSent === 1,
  spam: status === "spam",
});

/** What has to be looked up for some entries, and how many numbers they can need. */
export function wantedBy(entries: readonly Entry[]) {
  const days = new Map<string, Wanted["counters"][number]>();
  const keys = new Map<string, IdempotencyRecord>();
  const challenges = new Set<string>();
  const receivers = new Set<string>();
  const readers = new Set<string>();
  const events = new Set<WebhookEvent>();
  let [arrivals, mails] = [0, 0];
  let [since, until] = [Infinity, 0];
  for (const { submission, key, challenge, spam } of entries) {
    if (key !== null) keys.set(keyName(key), key);
    if (challenge !== null) challenges.add(challenge.hash);
    since = Math.min(since, submission.receivedAt - capMs);
    until = Math.max(until, submission.receivedAt + capMs);
    if (submission.kind === "subscription") {
      if (spam) continue;
      readers.add(emailKey(submission.email));
      events.add("subscriber.confirmed");
      mails += 1;
      continue;
    }
    const { kind, receivedAt } = submission;
    const day = referenceDay(receivedAt);
    days.set(dayName({ kind, day }), { kind, day });
    arrivals += 1;
    if (spam) continue;
    receivers.add(emailKey(submission.email));
    events.add(receivedEvent(kind));
    mails += 2;
  }
  const wanted: Wanted = {
    earlier: [...keys.values()].map(({ procedure, keyHash: key_hash }) => ({ procedure, key_hash })),
    spent: [...challenges].map((hash) => ({ hash })),
    suppressed: [...receivers.union(readers)].flatMap((key) => [{ key }, { key: hashedKey(key) }]),
    receipts: [...receivers].map((key) => ({ key, since, until })),
    newsletters: [...readers].map((key) => ({ key, since, until })),
    subscriber: [...readers].map((key) => ({ key })),
    counters: [...days.values()],
    hearers: [...events].map((event) => ({ event })),
  };
  return { wanted, numbers: { arrivals, mails } };
}

export function factsOf(wanted: Wanted, found: readonly FoundRow[]) {
  const taken = new Map<string, Taken>();
  /** Hashes of challenges. */
  const spent = new Set<string>();
  const addressees = new Map<string, Addressee>();
  /** How many references of a day are taken, by {@link dayName}. */
  const counters = new Map<string, number>();
  const hearers = new Map<WebhookEvent, number[]>();
  for (const key of new Set([...wanted.receipts, ...wanted.newsletters].map((one) => one.key as string))) {
    const unknown: Addressee = { suppressed: false, receipts: [], newsletters: [], subscriber: undefined };
    addressees.set(key, unknown).set(hashedKey(key), unknown);
  }
  const of = (key: string | null) => addressees.get(key as string) as Addressee;
  for (const { name, row } of found) {
    if (name === "earlier") taken.set(keyName(row), { createdAt: row.createdAt, earlier: earlierOf(row) });
    else if (name === "spent") spent.add(row.hash);
    else if (name === "counters") counters.set(dayName(row), row.taken);
    else if (name === "hearers") hearers.getOrInsertComputed(row.event, () => []).push(row.id);
    else if (name === "suppressed") of(row.key).suppressed = true;
    else if (name === "subscriber") of(row.email_key).subscriber = row;
    else of(row.key)[name].push(row.at);
  }
  return { taken, spent, addressees, counters, hearers };
}
