// The processes of a comparison: each on its own, pinned to a core where the machine can, and measured by what the kernel
// counts.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free-port.ts";

export interface Started {
  readonly url: string;
  readonly pid: number;
  /** From its start until it was ready, in milliseconds. */
  readonly readyMs: number;
  /** Ends it at once. */
  kill(): Promise<void>;
}

const canPin = (() => {
  try {
    execFileSync("taskset", ["-c", "0,1", "true"], { stdio: "ignore" });
    return true;
  } catch {
    // Another system, or one core only.
    return false;
  }
})();

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What `npm start` hands to Node before the program: the service is measured as it is run. */
const startOptions = (() => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { scripts: { start: string } };
  const words = scripts.start.split(" ");
  return words.slice(words.indexOf("node") + 1, -1).map((word) => (word.startsWith("./") ? join(root, word) : word));
})();

/** The words that start a program of this repository on a core; null leaves the choice to the machine. */
export function command(core: 0 | 1 | null, path: string): readonly string[] {
  const program = fileURLToPath(new URL(path, import.meta.url));
  const options = program === join(root, "server/src/main.ts") ? startOptions : ["-C", "@submissions/source"];
  const node = [process.execPath, ...options, program];
  return canPin && core !== null ? ["taskset", "-c", String(core), ...node] : node;
}

/** Runs programs with PORT set, and ends them all when it is disposed of. */
export class Processes implements AsyncDisposable {
  readonly #children: ChildProcess[] = [];

  /** Resolves when the program answers `/readyz`. */
  async start(
    path: string,
    env: Readonly<Record<string, string>>,
    { core = 0 }: { readonly core?: 0 | 1 | null } = {},
  ): Promise<Started> {
    const port = String(await freePort());
    const [word = "", ...words] = command(core, path);
    const begun = performance.now();
    const child = spawn(word, words, {
      env: { PATH: process.env["PATH"] ?? "", PORT: port, ...env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#children.push(child);
    const url = `http://127.0.0.1:${port}`;
    while (!(await isReady(url))) {
      if (hasEnded(child)) throw new Error(`${path} ended with ${child.exitCode ?? child.signalCode}.`);
      await pause(10);
    }
    return { url, pid: child.pid ?? 0, readyMs: performance.now() - begun, kill: () => end(child) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map(end));
  }
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    async (response) => (await response.text(), response.status < 500),
    () => false,
  );

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}
