// What rows of mails and of deliveries to webhooks share: their ids, and how the end of a try is written. And what the two
// tables differ in.
import type { ValuesOf } from "./tables.ts";

/** What an id is made of. Row numbers repeat in another database, and the provider is asked about a mail by its id. */
export interface MailRow {
  readonly row: number;
  readonly createdAt: number;
}

export const mailId = (row: number, createdAt: number): string => `${row}-${createdAt.toString(36)}`;

/** Null when the text is no id that {@link mailId} has written. */
export function parseMailId(id: string): MailRow | null {
  const [, digits, time] = /^([1-9][0-9]{0,15})-(0|[1-9a-z][0-9a-z]{0,10})$/.exec(id) ?? [];
  if (digits === undefined || time === undefined) return null;
  const [row, createdAt] = [Number(digits), Number.parseInt(time, 36)];
  return Number.isSafeInteger(row) && Number.isSafeInteger(createdAt) ? { row, createdAt } : null;
}

export interface Ended {
  readonly status: string;
  /** Added to its attempts. */
  readonly tries: number;
  readonly due_at: number | null;
  /** When the due time was set. */
  readonly scheduled_at: number | null;
  readonly ended_at: number | null;
  /** Null: the one before stays. */
  readonly last_answer: string | null;
  readonly denials: number | null;
  /** Of a mail; null and undefined: those of before stay. */
  readonly tokens?: string | null;
}

// As every engine can store it. A settlement that could not be stored would send its mail again, and PostgreSQL takes no NUL.
const storable = (answer: string | null): string | null => answer && answer.toWellFormed().replaceAll("\0", "");

/** @param settlement with `dueAt` it is tried again then */
export const endedAs = (
  { result, at, dueAt }: { readonly result: string; readonly at: number; readonly dueAt?: number },
  answer: string | null,
  tries = 1,
  denials: number | null = null,
): Ended => ({
  status: dueAt === undefined ? result : "queued",
  tries,
  due_at: dueAt ?? null,
  scheduled_at: dueAt === undefined ? null : at,
  ended_at: dueAt === undefined ? at : null,
  last_answer: storable(answer),
  denials,
});

export interface OutboxTable<Row extends MailRow, Leased, Settlement> {
  readonly name: "mail" | "webhook_delivery";
  readonly idOf: (row: MailRow) => string;
  /** Null when the text is no id of the table. */
  readonly parseId: (id: string) => MailRow | null;
  /** The number of each lane that is served, as a SELECT of `lane`; and the lane of a row. */
  readonly lanes: string;
  readonly lane: string;
  readonly columns: string;
  readonly joins: string;
  /** So long a row waits for its next try at most, and longer only where that is asked for. Milliseconds. */
  readonly delayMsMax: number;
  /** What a claim sets beside the lease, whose owner is $1, and a settlement beside what all rows have. */
  readonly claims: string;
  settles(value: SettledValue): string;
  /** The values of a settlement, in the order of {@link settledColumns}; of deliveries, without what only mails have. */
  readonly settled: ValuesOf<Settled>;
  /** @param refusal why it must not be sent */
  leased(id: string, row: Row, now: number, until: number, refusal?: string): Leased;
  ended(settlement: Settlement): Ended;
}

/** A settlement of a row, in the name of the process that holds its lease. */
export interface Settled extends Ended {
  readonly id: number;
  readonly created_at: number;
  readonly owner: string;
}

/** What only mails have is at the end. */
export const settledColumns = {
  id: "bigint",
  created_at: "bigint",
  owner: "text",
  status: "text",
  tries: "integer",
  due_at: "bigint",
  scheduled_at: "bigint",
  ended_at: "bigint",
  last_answer: "text",
  denials: "integer",
  tokens: "text",
} as const;

/** How the text of a settlement names a value. */
export type SettledValue = (column: keyof Settled) => string;

/** What both tables have of a settlement. */
export const settledValues: ValuesOf<Settled> = (row) => [
  row.id,
  row.created_at,
  row.owner,
  row.status,
  row.tries,
  row.due_at,
  row.scheduled_at,
  row.ended_at,
  row.last_answer,
];
