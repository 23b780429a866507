// The id of a mail: the number of its row and when it was stored. Row numbers alone repeat in another database, and the
// mail provider is asked about a mail by this id.

/** What an id is made of. */
export interface MailRow {
  /** `mail.id`, from 1. */
  readonly row: number;
  /** Milliseconds since the epoch. */
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
