// What rows of mails and of deliveries to webhooks share: their ids, and how the end of a try is written.

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
