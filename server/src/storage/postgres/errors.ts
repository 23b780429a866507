// Which errors of PostgreSQL and of the connection to it mean that it cannot be used now: they become `StorageUnavailable`.
// All others are mistakes in this program and pass through, so that they are found.
import { DatabaseError } from "pg";
import { StorageUnavailable } from "../store.ts";

// SQLSTATEs, and classes of them by their first two characters:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const states = new Map([
  ["08", "out of reach"],
  ["25006", "read-only"],
  ["25P03", "out of patience with this process"],
  ["25P04", "out of patience with this process"],
  ["26000", "behind a pooler that loses prepared statements"],
  ["28", "refusing the credentials"],
  ["28000", "refusing this user (look at LOGIN, pg_hba.conf and TLS)"],
  ["3D000", "missing on its server"],
  ["40001", "too contended"],
  ["40P01", "too contended"],
  ["42501", "refusing a permission"],
  ["42P05", "behind a pooler that loses prepared statements"],
  ["53", "out of resources"],
  ["55P03", "locked"],
  ["57", "stopping, or out of time for this"],
  ["58", "failing to read or write its disk"],
  ["XX001", "corrupt"],
  ["XX002", "corrupt"],
]);

/** What the server said, if it did: the error itself, or the cause of what the port promises. */
function answerOf(error: unknown): DatabaseError | null {
  if (error instanceof StorageUnavailable) return answerOf(error.cause);
  return error instanceof DatabaseError ? error : null;
}

/** The SQLSTATE of an error; undefined for what did not come from the server. */
export const sqlState = (error: unknown): string | undefined => answerOf(error)?.code;

function isOneOf(...some: readonly string[]) {
  return (error: unknown): boolean => some.includes(sqlState(error) ?? "");
}

/** Another transaction won a race, and this one was undone as a whole: running it again may succeed at once. */
export const isContention = isOneOf("40001", "40P01");

export const isDiskFull = isOneOf("53100");

export const isOutOfTime = isOneOf("57014");

/** A pooler lent a connection on which a statement was not prepared, or where another client had prepared it. */
export const isUnprepared = isOneOf("26000", "42P05");

/** Whether the server said that it failed. Anything else that the driver throws is about the connection. */
export const isAnswer = (error: unknown): boolean => answerOf(error) !== null;

/** Whether the connection is of no use: FATAL is its last word, and a read-only server has handed over to another. */
export function isLost(error: unknown): boolean {
  const answer = answerOf(error);
  if (answer === null) return true;
  return answer.severity === "FATAL" || answer.severity === "PANIC" || answer.code === "25006";
}

/** The driver gave up waiting for an answer. It has no code for that. */
export const isSilence = (error: unknown): boolean =>
  error instanceof StorageUnavailable && error.cause instanceof Error && error.cause.message === "Query read timeout";

// What the driver says when the server declines encryption. It has no code.
const noTls = "The server does not support SSL connections";

function connectionError(error: unknown): StorageUnavailable {
  if (error instanceof Error && error.message === noTls) {
    return new StorageUnavailable(
      "The database's server has no TLS. Turn it on there, or set sslmode=disable in DATABASE_URL if the network is safe.",
      { cause: error },
    );
  }
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return new StorageUnavailable(`The database cannot be reached${code}.`, { cause: error });
}

/** What the driver threw as the port promises it, or as it is when it is a mistake in this program. */
export function asStorageError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return connectionError(error);
  // PgBouncer has no code of its own for it.
  if (error.message.includes("statement pooling mode")) {
    return new StorageUnavailable(
      "DATABASE_URL leads to a pooler in statement mode, which has no transactions. Set its pool_mode to transaction or session.",
      { cause: error },
    );
  }
  const state = error.code ?? "";
  const is = states.get(state) ?? states.get(state.slice(0, 2)) ?? (isLost(error) ? "out of reach" : undefined);
  if (is === undefined) return error;
  const isDamage = /^(?:XX00[12]|58)/.test(state);
  return new StorageUnavailable(`The database is ${is} (${state}).`, { cause: error, isDamage });
}
