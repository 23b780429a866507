// The load generator as the bench sees it. It is a process of its own, so that the bench's work is not in its way.
import { spawn } from "node:child_process";
import type { Job, Outcome } from "./load-process.ts";

export interface Generator extends Disposable {
  /** @throws Error when an answer had another status than it should have, or a connection was cut */
  run(job: Job): Promise<Outcome>;
}

/** @param command the words that start load-process.ts */
export function startGenerator([word = "", ...words]: readonly string[]): Generator {
  const child = spawn(word, words, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" });
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error("The load generator ended."));
        child.once("exit", ended);
        child.once("message", (answer) => {
          child.off("exit", ended);
          resolve(answer as Outcome);
        });
        child.send(job);
      }),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}
