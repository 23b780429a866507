// Clients that behave as the typed client does: each submission has a key, and is sent until it is acknowledged. They know
// the balancer and nothing behind it.
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

export interface Acknowledged {
  readonly key: string;
  readonly inquiryId: string;
  readonly begunAt: number;
  readonly ms: number;
  /** What it was answered before the success: statuses, or codes of broken connections. */
  readonly refusals: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const pauseMs = 100;
// Longer than the balancer waits for a process.
const answerMs = 30_000;

export class Clients {
  readonly acknowledged: Acknowledged[] = [];
  readonly #address: string;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #running: Promise<void>[];
  #stopping = false;

  constructor(address: string, count: number) {
    this.#address = address;
    this.#running = Array.from({ length: count }, () => this.#run());
  }

  /** Resolves once this many submissions that were begun from now on are acknowledged. */
  async more(count: number): Promise<void> {
    const now = performance.now();
    while (this.acknowledged.filter(({ begunAt }) => begunAt >= now).length < count) await sleep(20);
  }

  /** Begins nothing new and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const [key, begunAt, refusals] = [randomUUID(), performance.now(), [] as string[]];
      for (;;) {
        const answer = await this.#submit(key).catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
        if (typeof answer !== "string" && answer.status === 200) {
          const { inquiryId } = JSON.parse(answer.body) as { inquiryId: string };
          this.acknowledged.push({ key, inquiryId, begunAt, ms: performance.now() - begunAt, refusals });
          break;
        }
        refusals.push(typeof answer === "string" ? answer : String(answer.status));
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
