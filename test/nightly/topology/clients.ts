// Clients that behave as the typed client does: each submission has a key, and is sent until it is acknowledged. They know
// the balancer and nothing behind it.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { buyer, json, rest } from "../../support/doors.ts";

const pauseMs = 100;
// Longer than the balancer waits for a process.
const answerMs = 30_000;

export class Clients {
  /** Their references. */
  readonly acknowledged = new Set<unknown>();
  readonly #url: string;
  readonly #running: Promise<void>[];
  #stopping = false;

  constructor(address: string, count: number) {
    this.#url = `https://${address}`;
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
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const key = randomUUID();
      while (!(await this.#submit(key))) await sleep(pauseMs);
    }
  }

  async #submit(key: string): Promise<boolean> {
    const init = json({ ...buyer, email: `${key}@example.org` }, { "idempotency-key": key });
    const sending = { ...init, signal: AbortSignal.timeout(answerMs) };
    // A connection that breaks is one more answer that is no success.
    const answer = await rest.send({ url: this.#url }, "marketplace.inquiry", sending).catch(() => null);
    if (answer?.receipt === undefined) return false;
    this.acknowledged.add(answer.receipt["inquiryId"]);
    return true;
  }
}
