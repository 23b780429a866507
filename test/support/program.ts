// Starts the server's programs, each as a process of its own, as npm's scripts do.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";

const source = join(import.meta.dirname, "../../server/src");

/** A started program. Its standard input is closed. */
export type Program = ChildProcessByStdio<null, Readable, Readable>;

export interface ProgramOptions {
  /** Where its standard output goes instead of to us: a file descriptor. */
  readonly output?: number;
  /** Not the project's folder unless asked for: its `.env` is none of the tests'. */
  readonly folder?: string;
  /** The user whose process it is; this one's unless given. */
  readonly uid?: number;
  readonly preload?: readonly string[];
  /** A program and its arguments that start this one: it ends as this one itself. */
  readonly through?: readonly string[];
}

export function start(
  program: "main.ts" | "submissions.ts",
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  { output, folder = tmpdir(), uid, preload = [], through = [] }: ProgramOptions = {},
): Program {
  const imports = [join(source, "preload.js"), ...preload].flatMap((module) => ["--import", module]);
  const flags = ["-C", "@submissions/source", ...imports, join(source, program)];
  const [command = "", ...args] = [...through, process.execPath, ...flags, ...words];
  return spawn(command, args, {
    cwd: folder,
    ...(uid !== undefined && { uid }),
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", output ?? "pipe", "pipe"],
  }) as Program;
}

/** How a process ended; null: by a signal. */
export const exitOf = (child: Program): Promise<number | null> =>
  new Promise((resolve) => {
    child.once("close", (code) => resolve(code));
  });

export interface Finished {
  readonly code: number | null;
  readonly bytes: Buffer;
  readonly stdout: string;
  readonly stderr: string;
}

export async function finish(child: Program): Promise<Finished> {
  const [code, bytes, stderr] = await Promise.all([exitOf(child), buffer(child.stdout), text(child.stderr)]);
  return { code, bytes, stdout: bytes.toString("utf8"), stderr };
}
