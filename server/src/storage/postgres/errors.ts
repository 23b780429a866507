// Which errors of the database and of the connection to it mean that it cannot be used now, and which are mistakes in
// this program. Only the former become `StorageUnavailable`; the latter pass through, so that they are found.
import { DatabaseError } from "pg";
import { StorageUnavailable } from "../store.ts";

// SQLSTATEs, and classes of them by their first two characters:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const states = new Map([
  ["08", "not to be reached"],
  ["25006", "read-only"],
  ["25P03", "tired of waiting for this process"],
  ["25P04", "tired of waiting for this process"],
  ["28", "refusing the credentials"],
  ["3D000", "missing on its server"],
  ["40001", "too contended"],
  ["40P01", "too contended"],
  ["42501", "refusing a permission"],
  ["53", "out of resources"],
  ["55P03", "locked"],
  ["57", "stopping, or out of time for this"],
  ["58", "failing to read or write its disk"],
  ["XX001", "corrupt"],
  ["XX002", "corrupt"],
]);

/** What the driver threw, by its SQLSTATE; undefined for what did not come from the server. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? error.code : undefined;

/** Somebody else won a race, and the whole transaction was undone: running it again may work at once. */
export function isContention(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01";
}

/**
 * Whether the connection is of no use any more. Whatever the driver throws that is no answer of the server is about the
 * connection; FATAL is the server's last word on one, and a server that became read-only has handed over to another.
 */
export function isLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  return error.severity === "FATAL" || error.severity === "PANIC" || error.code === "25006";
}

/**
 * What the driver threw as the port promises it, or the error itself when it is a mistake in this program.
 *
 * @param outcome of the transaction that it ended
 */
export function asStorageError(error: unknown, outcome: StorageUnavailable["outcome"] = "not-stored"): unknown {
  if (error instanceof StorageUnavailable) return error;
  const options = { cause: error, outcome };
  if (!(error instanceof DatabaseError)) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    return new StorageUnavailable(`The database cannot be reached${code}.`, options);
  }
  const state = error.code ?? "";
  const is = states.get(state) ?? states.get(state.slice(0, 2)) ?? (isLost(error) ? "not to be reached" : undefined);
  return is === undefined ? error : new StorageUnavailable(`The database is ${is} (${state}).`, options);
}
