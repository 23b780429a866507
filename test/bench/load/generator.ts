// The load generator as the bench sees it. It is a process of its own, so that the bench's work is not in its way.
import { spawn } from "node:child_process";
import { command } from "../processes.ts";
import type { Outcome } from "./client.ts";
import type { Job } from "./load-process.ts";

export interface Generator extends Disposable {
  /**
   * @throws Error when an answer had another status than it should have, or a connection was cut
   */
  run(job: Omit<Job, "perSecond"> & { readonly perSecond?: number }): Promise<Outcome>;
}

export function startGenerator(): Generator {
  const [word = "", ...words] = command(1, "load/load-process.ts");
  const child = spawn(word, words, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" });
  return {
    async run(job) {
      const outcomes = await new Promise<readonly Outcome[]>((resolve, reject) => {
        const ended = () => reject(new Error("The load generator ended."));
        child.once("exit", ended);
        child.once("message", (answer) => {
          child.off("exit", ended);
          resolve(answer as readonly Outcome[]);
        });
        child.send({ perSecond: null, ...job });
      });
      const wrong = outcomes.find(({ unexpected }) => unexpected > 0);
      if (wrong !== undefined) throw new Error(`${wrong.unexpected} unexpected answers: ${wrong.example}`);
      return {
        latencies: Float64Array.from(outcomes.flatMap(({ latencies }) => [...latencies])),
        seconds: Math.max(...outcomes.map(({ seconds }) => seconds)),
        unexpected: 0,
        example: "",
      };
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}
