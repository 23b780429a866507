// Clients that behave as the typed client does: each submission has a key, and is sent until it is acknowledged. They know
// the balancer and nothing behind it.
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

interface Answer {
  readonly status: number;
  readonly body: string;
}

const pauseMs = 100;
// Longer than the balancer waits for a process.
const answerMs = 30_000;

export class Clients {
  /** Their references. */
  readonly acknowledged = new Set<string>();
  readonly #address: string;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #running: Promise<void>[];
  #stopping = false;

  constructor(address: string, count: number) {
    this.#address = address;
    this.#running = Array.from({ length: count }, () => this.#run());
  }

  /** Resolves once this many more are acknowledged, and answers how many. */
  async more(count: number): Promise<number> {
    const before = this.acknowledged.size;
    while (this.acknowledged.size < before + count) await sleep(20);
    return this.acknowledged.size - before;
  }

  /** Begins nothing new and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const key = randomUUID();
      for (;;) {
        // A connection that breaks is one more answer that is no success.
        const answer = await this.#submit(key).catch(() => ({ status: 0, body: "" }));
        if (answer.status === 200) {
          this.acknowledged.add((JSON.parse(answer.body) as { inquiryId: string }).inquiryId);
          break;
        }
        await sleep(pauseMs);
      }
    }
  }

  #submit(key: string): Promise<Answer> {
    const body = JSON.stringify({ name: "Ann Buyer", email: `${key}@example.org`, selectedPackageIds: ["de-AT"] });
    return new Promise((resolve, reject) => {
      const asking = request(
        {
          host: this.#address,
          path: "/api/marketplace/inquiry",
          method: "POST",
          agent: this.#agent,
          signal: AbortSignal.timeout(answerMs),
          headers: {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            "idempotency-key": key,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.once("error", reject).once("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
        },
      );
      asking.once("error", reject).end(body);
    });
  }
}
