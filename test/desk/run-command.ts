// Runs the command line as its users do: a process of its own, with an environment of its own.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A started program. Its standard input is closed. */
export type Program = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts a program of the server without waiting for it.
 *
 * @param output where its standard output goes instead of to us: a file descriptor
 */
export function start(
  program: "main.ts" | "submissions.ts",
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  output: "pipe" | number = "pipe",
): Program {
  const file = join(root, "server/src", program);
  const command = ["-C", "@submissions/source", file, ...words];
  return spawn(process.execPath, command, {
    cwd: root,
    env: environment,
    stdio: ["ignore", output, "pipe"],
  }) as Program;
}

/** How a process ended. */
export const exitOf = (child: Program): Promise<number | null> =>
  new Promise((resolve) => {
    child.once("close", (code) => resolve(code));
  });

/** A finished command. */
export interface Finished {
  readonly code: number | null;
  readonly bytes: Buffer;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Finished> {
  const child = start("submissions.ts", words, environment);
  const [code, bytes, stderr] = await Promise.all([exitOf(child), buffer(child.stdout), text(child.stderr)]);
  return { code, bytes, stdout: bytes.toString("utf8"), stderr };
}
