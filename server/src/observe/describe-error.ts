// Reduces an error to what may be logged, or told to an operator. Messages of libraries quote what they were given
// (addresses, file names, SQL with values), so of most errors only the type and the code are kept.
import { isSystemError } from "../file-errors.ts";
import { OperatorError } from "../operator-error.ts";

export interface ErrorDescription {
  /** The constructor's or own name: `TypeError`, `StorageUnavailable`. */
  readonly type: string;
  /** A constant of the system or a library: `ENOSPC`, `ERR_SQLITE_ERROR`; or an SQLSTATE: `22P02`. */
  readonly code?: string;
  /** Of an {@link OperatorError} only. */
  readonly message?: string;
  /** File and line of the innermost frames, without the message that stacks begin with. */
  readonly at?: readonly string[];
  readonly cause?: ErrorDescription;
}

const constantLike = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const sqlStateLike = /^[0-9][0-9A-Z]{4}$/;
const framesMax = 8;
const causesMax = 3;

// Type and code where they look like constants, the message only of our own classes, the stack as `file:line`.
export function describeError(error: unknown, causesLeft = causesMax): ErrorDescription {
  if (!(error instanceof Error)) return { type: error === null ? "null" : typeof error };
  const type = constantLike.test(error.name) ? error.name : "Error";
  const code = codeOf(error);
  const at = framesOf(error);
  return {
    type,
    ...(code === undefined ? {} : { code }),
    ...(error instanceof OperatorError ? { message: error.message } : {}),
    ...(at.length === 0 ? {} : { at }),
    ...(error.cause === undefined || causesLeft === 0 ? {} : { cause: describeError(error.cause, causesLeft - 1) }),
  };
}

/** What an operator may read of an error: a message of ours, or the system's, which names a file or a port. Else null. */
export function messageForOperator(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (!(error instanceof OperatorError)) return isSystemError(error) ? error.message : null;
  const code = describeError(error).cause?.code;
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}

function codeOf(error: Error): string | undefined {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof code !== "string" || !(constantLike.test(code) || sqlStateLike.test(code))) return undefined;
  // SQLite's own number says what `ERR_SQLITE_ERROR` does not: 5 busy, 13 full.
  return typeof errcode === "number" ? `${code}:${errcode}` : code;
}

function framesOf(error: Error): string[] {
  if (typeof error.stack !== "string") return [];
  // A message may have lines that look like frames; only what follows the message counts.
  const start = error.message === "" ? 0 : error.stack.indexOf(error.message) + error.message.length;
  const frames = error.stack.slice(start).matchAll(/^ {4}at (?:.* \()?(?:file:\/\/)?(?<place>[^()\n]*:\d+:\d+)\)?$/gm);
  return [...frames].slice(0, framesMax).map((frame) => shorten(frame.groups?.["place"] ?? ""));
}

/** From the last `node_modules` or the project's own folders on: a log need not tell where the project is installed. */
function shorten(place: string): string {
  return (
    /(?:node_modules\/(?!.*node_modules\/)|(?:^|\/)(?=(?:(?:server|shared|client)\/src|test)\/)|node:).*$/
      .exec(place)?.[0]
      .replace(/^\//, "") ?? "elsewhere"
  );
}
