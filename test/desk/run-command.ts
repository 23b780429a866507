// Runs the command line: in this process, which is fast, or as its users do, for what only a process can show.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable, type Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { runCommandLine } from "../../server/src/commands/program.ts";

const source = join(import.meta.dirname, "../../server/src");

/** A finished command. */
export interface Finished {
  /** Null: a signal ended it. */
  readonly code: number | null;
  readonly bytes: Buffer;
  readonly stdout: string;
  readonly stderr: string;
}

/** A stream that keeps what is written to it. */
export class Kept extends Writable {
  readonly #pieces: Buffer[] = [];

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pieces.push(piece);
    done();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

/**
 * Runs a command in this process.
 *
 * @param environment all of its settings. Libraries that read the process's own environment (PGPASSWORD, AWS_…) do not see
 *   it: {@link spawnCommand} is for them.
 * @param terminal what its output is
 */
export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = {},
): Promise<Finished> {
  const [output, messages] = [Object.assign(new Kept(), terminal), new Kept()];
  const code = await runCommandLine(words, { environment, output, messages });
  const { bytes } = output;
  return { code, bytes, stdout: bytes.toString(), stderr: messages.bytes.toString() };
}

/** A started program. Its standard input is closed. */
export type Program = ChildProcessByStdio<null, Readable, Readable>;

interface StartOptions {
  /** Where its standard output goes instead of to us: a file descriptor. */
  readonly output?: number;
  /** Not the project's folder unless asked for: its `.env` is none of the tests'. */
  readonly folder?: string;
  /** The user whose process it is; this one's unless given. */
  readonly uid?: number;
}

/** Starts a program of the server, as npm's scripts do, without waiting for it. */
export function start(
  program: "main.ts" | "submissions.ts",
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  { output, folder = tmpdir(), uid }: StartOptions = {},
): Program {
  const flags = ["-C", "@submissions/source", "--import", join(source, "preload.js")];
  return spawn(process.execPath, [...flags, join(source, program), ...words], {
    cwd: folder,
    ...(uid !== undefined && { uid }),
    env: environment,
    stdio: ["ignore", output ?? "pipe", "pipe"],
  }) as Program;
}

/** How a process ended; null: by a signal. */
export const exitOf = (child: Program): Promise<number | null> =>
  new Promise((resolve) => {
    child.once("close", (code) => resolve(code));
  });

/** Runs a command in a process of its own. */
export const spawnCommand = (
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Finished> => finish(start("submissions.ts", words, environment));

/** Waits for the end of a program. */
export async function finish(child: Program): Promise<Finished> {
  const [code, bytes, stderr] = await Promise.all([exitOf(child), buffer(child.stdout), text(child.stderr)]);
  return { code, bytes, stdout: bytes.toString("utf8"), stderr };
}
