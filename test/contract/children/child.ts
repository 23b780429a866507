// Starts the programs of this folder as processes of their own, and ends them with the test.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";

const programs = {
  "hold-lock": new URL("./hold-lock.ts", import.meta.url),
  "hold-service-lock": new URL("./hold-service-lock.ts", import.meta.url),
  "open-store": new URL("./open-store.ts", import.meta.url),
  "failing-syncs": new URL("./failing-syncs.ts", import.meta.url),
  "accept-until-killed": new URL("./accept-until-killed.ts", import.meta.url),
};

// Has Node keep compiled code, as for the service.
const preload = new URL("../../../server/src/preload.js", import.meta.url).href;

export interface Child extends AsyncDisposable {
  readonly process: ChildProcess;
  /** The next thing it says. Rejects when it ends without a word. */
  hear(): Promise<unknown>;
  tell(): void;
  ended(): Promise<unknown>;
}

/** @param env in addition to that of this process */
export function startChild(name: keyof typeof programs, file: string, env: NodeJS.ProcessEnv = {}): Child {
  const child = fork(programs[name], [file], {
    // Not the project's folder: it may have a `.env`, which tests must not read.
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    execArgv: ["-C", "@submissions/source", "--import", preload],
  });
  const exit = once(child, "exit");
  return {
    process: child,
    async hear() {
      const [said] = await Promise.race([
        once(child, "message"),
        exit.then(() => Promise.reject(new Error(`${name} ended without a word`))),
      ]);
      return said;
    },
    tell: () => void child.send("go"),
    ended: () => exit,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}
