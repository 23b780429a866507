// The service as its own process, for what only a process can show: exit codes, signals, memory, the log on stdout.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { openStore } from "../../server/src/storage/open-store.ts";
import { exitOf, finish, type ProgramOptions, start } from "./program.ts";
import { readStored } from "./stored.ts";

export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>;

interface ProcessOptions extends Pick<ProgramOptions, "preload" | "through"> {
  /** A data folder of the caller, to be started in again and again. Without it there is one that goes with the process. */
  readonly dataFolder?: string;
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

/** Starts the process and waits until it listens. @throws EndedEarly */
export async function startProcess(
  env: Readonly<Record<string, string>> = {},
  { dataFolder: given, ...options }: ProcessOptions = {},
) {
  const dataFolder = given ?? (await mkdtemp(join(tmpdir(), "submissions-")));
  const child = start("main.ts", [], { DATA_DIR: dataFolder, PORT: "0", RATE_LIMIT_MAX: "1000000", ...env }, options);
  const log: string[] = [];
  const ended = exitOf(child);
  const lines = createInterface({ input: child.stdout });
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
    /** Resolves with the exit code once the process has ended and its log was read; null when a signal ended it. */
    ended,
    async stored() {
      const file = join(dataFolder, "submissions.sqlite");
      await using store = await openStore({ kind: "sqlite", file }, { access: "read-only" });
      return await readStored(store);
    },
    /** Largest resident set so far, in bytes, as the kernel counts it. */
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

export async function runToEnd(env: Readonly<Record<string, string>>, options: ProcessOptions = {}) {
  const { code, stdout, stderr } = await finish(start("main.ts", [], env, options));
  return { code, output: stdout + stderr };
}

/** Waits until something is so. Without a limit of its own: that is the test's. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(100);
}
