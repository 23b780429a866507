// The log: one line an event, made of a fixed set of facts. Names outside the set are dropped, so that no field of a
// person, token or key can slip in by way of an object; that is stronger than redacting what one has thought of.
import { describeError } from "./describe-error.ts";

const levels = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
} as const;
export type LogLevel = keyof typeof levels;

/** All levels, chattiest first. */
export const logLevels = Object.keys(levels) as readonly LogLevel[];

/** All that may be logged: ids, statuses, times, codes and counts. Personal data has no name here, on purpose. */
export interface LogFacts {
  readonly requestId?: string;
  readonly procedure?: string;
  readonly door?: "rest" | "rpc";
  /** The route's pattern, never the URL: query strings hold tokens. */
  readonly route?: string;
  readonly method?: string;
  /** HTTP status. */
  readonly status?: number;
  /** Code of an answer, a fault or an error. */
  readonly code?: string;
  /** Name in the table of faults. */
  readonly fault?: string;
  /** `INQ-…` or `APP-…`. */
  readonly reference?: string;
  readonly mailId?: string;
  readonly mailKind?: string;
  readonly result?: string;
  readonly provider?: string;
  readonly attempt?: number;
  /** A duration in milliseconds. */
  readonly ms?: number;
  readonly bytes?: number;
  readonly count?: number;
  readonly retryAfterMs?: number;
  readonly signal?: string;
  /** Where the service listens. */
  readonly address?: string;
  readonly version?: string;
  /** Whatever was thrown; written through {@link describeError}. */
  readonly err?: unknown;
}

// Kept beside the type by the compiler: a name missing here or there is a type error.
const factNames = Object.keys({
  requestId: 0,
  procedure: 0,
  door: 0,
  route: 0,
  method: 0,
  status: 0,
  code: 0,
  fault: 0,
  reference: 0,
  mailId: 0,
  mailKind: 0,
  result: 0,
  provider: 0,
  attempt: 0,
  ms: 0,
  bytes: 0,
  count: 0,
  retryAfterMs: 0,
  signal: 0,
  address: 0,
  version: 0,
  err: 0,
} satisfies Record<keyof LogFacts, 0>) as readonly (keyof LogFacts)[];

interface Write {
  (facts: LogFacts, message?: string): void;
  (message: string): void;
}

/**
 * What the service logs with. Messages are constant texts: everything that varies is a fact. It has the shape that
 * Fastify wants of a `loggerInstance`.
 */
export interface Log {
  readonly level: LogLevel;
  trace: Write;
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  fatal: Write;
  silent: Write;
  /** A log whose every line holds these facts too. */
  child(facts: LogFacts): Log;
}

/** Where lines go; `process.stdout` is one. */
export interface LogOutput {
  write(line: string): unknown;
  readonly isTTY?: boolean;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** Fits a line with details, and stops a message of a library from filling the disk. */
const messageLengthMax = 500;

/**
 * Makes the log of a process: JSON lines, or on a terminal one readable line an event.
 *
 * @param now milliseconds since the epoch; tests hand in their own
 */
export function createLog(level: LogLevel, output: LogOutput = process.stdout, now: () => number = Date.now): Log {
  let open = true;
  // Whoever read our lines is gone (EPIPE), or their disk is full: the service goes on without a log.
  output.on?.("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") open = false;
  });
  const format = output.isTTY === true ? formatForPeople : formatAsJson;

  return makeLog(level, {}, (at, facts, message) => {
    if (open) output.write(format({ time: now(), level: at, facts, message }));
  });
}

type Sink = (level: LogLevel, facts: LogFacts, message: string) => void;

function makeLog(threshold: LogLevel, bound: LogFacts, sink: Sink): Log {
  const at = (level: LogLevel): Write => {
    if (levels[level] < levels[threshold] || level === "silent") return () => {};
    return (first: LogFacts | string, message: string = "") => {
      if (typeof first === "string") return sink(level, bound, first);
      // Libraries pass an error and its message, which may quote what it was given.
      const facts = { ...bound, ...allowed(first) };
      sink(level, facts, facts.err instanceof Error && facts.err.message === message ? "" : message);
    };
  };
  return {
    level: threshold,
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fatal: at("fatal"),
    silent: at("silent"),
    child: (facts) => makeLog(threshold, { ...bound, ...allowed(facts) }, sink),
  };
}

function allowed(facts: object): LogFacts {
  const kept: Record<string, unknown> = {};
  // An error in place of the facts is what libraries do.
  if (facts instanceof Error) return { err: facts };
  for (const name of factNames) {
    const value = (facts as Record<string, unknown>)[name];
    if (value === undefined) continue;
    // Any object but an error could carry anything.
    if (name === "err") kept[name] = value;
    else if (typeof value === "string" || typeof value === "number") kept[name] = value;
  }
  return kept;
}

interface Line {
  readonly time: number;
  readonly level: LogLevel;
  readonly facts: LogFacts;
  readonly message: string;
}

function tidy(message: string): string {
  // Frameworks put URLs into their messages, and query strings hold tokens.
  const text = message.replace(/\?\S+/g, "?…");
  return text.length <= messageLengthMax ? text : `${text.slice(0, messageLengthMax)}…`;
}

function plain(facts: LogFacts): Record<string, unknown> {
  return "err" in facts ? { ...facts, err: describeError(facts.err) } : { ...facts };
}

// JSON escapes line breaks and control characters, so no text can forge a second line.
function formatAsJson({ time, level, facts, message }: Line): string {
  return `${JSON.stringify({ level, time: new Date(time).toISOString(), ...plain(facts), msg: tidy(message) })}\n`;
}

function formatForPeople({ time, level, facts, message }: Line): string {
  const details = Object.entries(plain(facts)).map(
    ([name, value]) =>
      ` ${name}=${typeof value === "string" && /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  const clock = new Date(time).toISOString().slice(11, 23);
  // Escape sequences would let a text repaint the terminal.
  return `${clock} ${level.toUpperCase().padEnd(5)} ${tidy(message).replace(/\p{Cc}/gu, " ")}${details.join("")}\n`;
}
