// How the try of a mail or a delivery ended, as columns of its row.

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
}

// As every engine can store it. A settlement that could not be stored would send its mail again, and PostgreSQL takes no NUL.
const storable = (answer: string | null): string | null => answer && answer.toWellFormed().replaceAll("\0", "");

/** It is not tried again. */
export const endedAs = (status: string, at: number, answer: string, denials: number | null = null): Ended => ({
  status,
  tries: 1,
  due_at: null,
  scheduled_at: null,
  ended_at: at,
  last_answer: storable(answer),
  denials,
});

/** It is tried later. */
export const queuedAgain = (
  { dueAt, at }: { readonly dueAt: number; readonly at: number },
  answer: string | null,
  tries: number,
  denials: number | null = null,
): Ended => ({
  status: "queued",
  tries,
  due_at: dueAt,
  scheduled_at: at,
  ended_at: null,
  last_answer: storable(answer),
  denials,
});
