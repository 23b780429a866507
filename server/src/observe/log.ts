// The log: one line an event, of a fixed set of facts. Other names are dropped: no field of a person, token or key.
import { isatty } from "node:tty";
import { setTimeout as sleep } from "node:timers/promises";
import { pino, type DestinationStream } from "pino";
import sonic, { type SonicBoom } from "sonic-boom";
import { describeError } from "./describe-error.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** All that may be logged: ids, statuses, times, codes and counts. Personal data has no name here, on purpose. */
const factKinds = {
  requestId: "string",
  /** The route's pattern, never the URL: query strings hold tokens. */
  route: "string",
  method: "string",
  /** `marketplace.inquiry`; of a batch all, with commas between them. */
  procedure: "string",
  status: "number",
  /** Code of an answer, a fault or an error. */
  code: "string",
  fault: "string",
  reference: "string",
  mailId: "string",
  mailKind: "string",
  result: "string",
  /** Its number, as `webhooks list` shows it. */
  webhook: "number",
  delivery: "string",
  ms: "number",
  count: "number",
  /** Of how many {@link count} is a part. */
  of: "number",
  kind: "string",
  /** An instant, ISO 8601. */
  before: "string",
  signal: "string",
  address: "string",
  err: "error",
} as const;

type FactKinds = typeof factKinds;
type FactOf = { readonly string: string; readonly number: number; readonly error: unknown };
/** One that is undefined is left out. */
export type LogFacts = { readonly [Name in keyof FactKinds]?: FactOf[FactKinds[Name]] | undefined };

interface Write {
  (facts: LogFacts, message?: string): void;
  (message: string): void;
}

/** What the service logs with. Messages are constant texts: everything that varies is a fact. */
export interface Log extends Record<LogLevel, Write> {
  readonly level: LogLevel;
}

/** The log of a process. Its lines are buffered, and written each second at the latest. */
export interface ProcessLog extends Log {
  /** Writes what is buffered. Resolves when it is written, or after half a second if the reader does not read. */
  flush(): Promise<void>;
}

/** Takes lines, each with its line break. */
export interface LogOutput {
  write(line: string): unknown;
  /** Whether a person reads it on a terminal. */
  readonly isTTY?: boolean;
}

/** Enough for a line with details, and keeps a library's message from filling the disk. */
const messageLengthMax = 500;

/** Makes the log of a process: JSON lines, or on a terminal readable ones. With `output` each line goes there at once. */
export function createLog(level: LogLevel, output?: LogOutput, now: () => number = Date.now): ProcessLog {
  const buffered = output === undefined && level !== "silent" && !isatty(1) ? openOutput(1) : null;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      // Pino's own takes the description of an error for an error, if it has a message, and loses its type and frames.
      serializers: { err: (described: unknown) => described },
      formatters: { level: (label) => ({ level: label }), log: allowed },
      hooks: {
        logMethod(args, method) {
          const [first, message] = args as [LogFacts | string, string?];
          if (typeof first === "string") method.call(this, tidy(first));
          else method.call(this, first, messageOf(first, message));
        },
      },
    },
    buffered ?? lineByLine(output ?? process.stdout),
  );
  // The terminal may be closed. Once in a process. On a pipe, the buffered output would lose lines to a slow reader.
  if (output === undefined && buffered === null) process.stdout.off("error", ignore).on("error", ignore);
  return Object.assign(logger, { flush: async () => buffered && flushed(buffered) }) as unknown as ProcessLog;
}

const ignore = () => {};

/** How long a stopping process waits for a slow reader. */
const flushMsMax = 500;

// Standard output in pieces, written by another thread: a system call for each line would cost more than the line. What
// cannot be written waits for the next try, at the exit for half a second, and never stops the service.
export function openOutput(descriptor: number): SonicBoom {
  const options = {
    fd: descriptor,
    minLength: 4_096,
    // Further lines are dropped: a log must not take all memory.
    maxLength: 16 * 1024 * 1024,
    periodicFlush: 1_000,
    // One each 100 ms. The types of the library do not know it yet.
    maxWriteRetries: flushMsMax / 100,
  };
  const output = new sonic.SonicBoom(options);
  output.on("error", () => {});
  process.on("exit", () => {
    try {
      output.flushSync();
    } catch {
      // As above: the process ends without these lines.
    }
  });
  return output;
}

/** Resolves when all is written, or cannot be. */
export async function flushed(output: SonicBoom): Promise<void> {
  const written = new Promise<void>((resolve) => output.flush(() => resolve()));
  await Promise.race([written, sleep(flushMsMax, undefined, { ref: false })]);
}

function allowed(facts: object): Record<string, unknown> {
  // An error in place of the facts is what libraries do.
  if (facts instanceof Error) return { err: describeError(facts) };
  const kept: Record<string, unknown> = {};
  for (const name in facts) {
    const value = (facts as Readonly<Record<string, unknown>>)[name];
    const kind = factKinds[name as keyof FactKinds];
    if (kind === "error" && value !== undefined) kept[name] = describeError(value);
    else if (typeof value === kind) kept[name] = value;
  }
  return kept;
}

// Libraries pass an error and its message, which may quote what it was given.
function messageOf(facts: LogFacts, message: string = ""): string {
  const error = facts instanceof Error ? facts : facts.err;
  return error instanceof Error && error.message === message ? "" : tidy(message);
}

function tidy(message: string): string {
  // Frameworks put URLs into their messages, and query strings hold tokens.
  const text = message.replace(/\?\S+/g, "?…");
  return text.length <= messageLengthMax ? text : `${text.slice(0, messageLengthMax)}…`;
}

const lineByLine = (output: LogOutput): DestinationStream => ({
  write: (line) => void output.write(output.isTTY === true ? formatForPeople(JSON.parse(line) as Line) : line),
});

interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly [fact: string]: unknown;
}

function formatForPeople({ level, time, msg = "", ...facts }: Line): string {
  const details = Object.entries(facts).map(
    ([name, value]) =>
      ` ${name}=${typeof value === "string" && /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value)}`,
  );
  const text = `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${msg}${details.join("")}`;
  // Escape sequences would let a text repaint the terminal.
  return `${text.replace(/\p{Cc}/gu, " ")}\n`;
}
