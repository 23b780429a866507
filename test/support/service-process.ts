// The service as its own process, started as `npm start` starts it, for what only a process can show: exit codes,
// signals, memory, the log on stdout.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const source = new URL("../../server/src/", import.meta.url);
const main = fileURLToPath(new URL("main.ts", source));
// Keeps compiled code from start to start, which halves the work of a start.
const usual = new URL("preload.js", source).href;

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly child: ChildProcess;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  /** Resolves with the exit code once the process has ended and its log was read; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Largest resident set so far, in bytes, as the kernel counts it. */
  peakMemory(): Promise<number>;
}

export interface ProcessOptions {
  /** A data folder of the caller, to be started in again and again. Without it there is one that goes with the process. */
  readonly dataFolder?: string;
  /** Modules that are loaded before the service. */
  readonly preload?: readonly string[];
  /** A program and its arguments that start the service: it ends as the service itself. */
  readonly through?: readonly string[];
}

/** The process ended before it listened. */
export class EndedEarly extends Error {
  /** Its exit code; null when a signal ended it. */
  readonly code: number | null;

  constructor(code: number | null, log: readonly string[]) {
    super(`The service ended with ${code}: ${log.join("\n")}`);
    this.code = code;
  }
}

/**
 * Starts the process and waits until it listens.
 *
 * @throws EndedEarly
 */
export async function startProcess(
  env: Readonly<Record<string, string>> = {},
  options: ProcessOptions = {},
): Promise<ServiceProcess> {
  const given = options.dataFolder;
  const dataFolder = given ?? (await mkdtemp(join(tmpdir(), "submissions-")));
  const child = run({ DATA_DIR: dataFolder, PORT: "0", RATE_LIMIT_MAX: "1000000", ...env }, options);
  const log: string[] = [];
  const ended = once(child, "close").then(([code]) => code as number | null);
  const lines = createInterface({ input: child.stdout! });
  const address = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      log.push(line);
      // Not of every line: the last one of a process that was killed may be half a line.
      if (!line.includes('"msg":"listening"')) return;
      resolve((JSON.parse(line) as { address: string }).address);
    });
    void ended.then((code) => reject(new EndedEarly(code, log)));
  });
  return {
    url: address,
    port: Number(new URL(address).port),
    dataFolder,
    child,
    log,
    ended,
    peakMemory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      if (given === undefined) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Runs the process to its end, for starts that must fail. */
export async function runToEnd(
  env: Readonly<Record<string, string>>,
  options: ProcessOptions = {},
): Promise<{ code: number | null; output: string }> {
  const child = run(env, options);
  let output = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

function run(env: Readonly<Record<string, string>>, { preload = [], through = [] }: ProcessOptions): ChildProcess {
  const imports = [usual, ...preload].flatMap((module) => ["--import", module]);
  const words = [...through, process.execPath, "-C", "@submissions/source", ...imports, main];
  return spawn(words[0]!, words.slice(1), {
    // Not the project's folder: it may have a `.env`, which tests must not read.
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}
