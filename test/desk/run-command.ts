// Runs the command line as its users do: a process of its own, with an environment of its own.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { buffer, text } from "node:stream/consumers";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Starts a program of the server without waiting for it. */
export function start(
  program: "main.ts" | "submissions.ts",
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  const file = join(root, "server/src", program);
  return spawn(process.execPath, ["-C", "@submissions/source", file, ...words], { cwd: root, env: environment });
}

/** How a process ended. */
export const exitOf = (child: ChildProcessWithoutNullStreams): Promise<number | null> =>
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
  child.stdin.end();
  const [code, bytes, stderr] = await Promise.all([exitOf(child), buffer(child.stdout), text(child.stderr)]);
  return { code, bytes, stdout: bytes.toString("utf8"), stderr };
}
