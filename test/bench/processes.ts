// The processes of a comparison: each on its own, pinned to a core where the machine can, and measured by what the kernel
// counts.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** What a process has used so far. */
export interface Used {
  readonly cpuMicros: number;
  readonly writtenBytes: number;
  readonly residentMb: number;
  readonly peakMb: number;
}

export interface Measured {
  readonly url: string;
  /** From its start until it was ready, in milliseconds. */
  readonly readyMs: number;
  used(): Used;
}

const canPin = (() => {
  try {
    execFileSync("taskset", ["-c", "0,1", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Runs a program of Node with PORT set, and waits until it listens. */
export class Processes implements AsyncDisposable {
  readonly #children: ChildProcess[] = [];

  async start(core: 0 | 1, words: readonly string[], env: Readonly<Record<string, string>>): Promise<Measured> {
    const port = String(await freePort());
    const command = [...(canPin ? ["taskset", "-c", String(core)] : []), process.execPath, ...words];
    const begun = performance.now();
    const child = spawn(command[0]!, command.slice(1), {
      env: { PATH: process.env["PATH"] ?? "", PORT: port, ...env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#children.push(child);
    const url = `http://127.0.0.1:${port}`;
    while (
      !(await fetch(`${url}/readyz`).then(
        (response) => response.status < 500,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`${words.join(" ")} ended with ${child.exitCode}.`);
      await pause(10);
    }
    return { url, readyMs: performance.now() - begun, used: () => usedBy(child) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

function usedBy({ pid }: ChildProcess): Used {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  const ticks = Number(stat[11]) + Number(stat[12]);
  return {
    // The kernel counts in hundredths of a second.
    cpuMicros: ticks * 10_000,
    writtenBytes: Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]),
    residentMb: megabytes("VmRSS"),
    peakMb: megabytes("VmHWM"),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
