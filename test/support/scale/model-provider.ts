// A provider with a rate limit, a latency and an outage. It takes a call as a whole while it has any allowance left, and
// then answers 429 with Retry-After until the mails of that call are made up for. It remembers each mail it took.
import type { Mailer, MailFinding, MailOutcome } from "../../../server/src/mail/mailer.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface ProviderOptions {
  /** Mails a second; a second's worth may be saved up. */
  readonly rate: number;
  /** Most mails in one call. */
  readonly batchMax: number;
  readonly latencyMs: number;
  /** Nothing is reached between these instants. */
  readonly outage: { readonly from: number; readonly to: number };
}

export class ModelProvider {
  readonly #time: VirtualTime;
  readonly #options: ProviderOptions;
  readonly #taken = new Set<string>();
  #tokens: number;
  #countedAt: number;
  sends = 0;
  /** Calls that were answered with 429, and the mails in them. */
  refusedCalls = 0;
  refusedMails = 0;
  searches = 0;
  takenTwice = 0;
  /** Told of each mail that is taken. */
  onTaken: (id: string, at: number) => void = () => {};

  constructor(time: VirtualTime, options: ProviderOptions) {
    this.#time = time;
    this.#options = options;
    this.#tokens = options.rate;
    this.#countedAt = time.now();
  }

  /** The mailer of one process. */
  mailer(): Mailer & { readonly callsAtOnceMax: number } {
    let calls = 0;
    let callsAtOnceMax = 0;
    return {
      batchMax: this.#options.batchMax,
      // As Postmark's.
      calls: { fresh: 4, due: 1 },
      gatherMs: 250,
      doubt: "ask",
      get callsAtOnceMax() {
        return callsAtOnceMax;
      },
      send: async (mails) => {
        callsAtOnceMax = Math.max(callsAtOnceMax, (calls += 1));
        try {
          return await this.#send(mails.map(({ id }) => id));
        } finally {
          calls -= 1;
        }
      },
      find: (mails) => this.#find(mails.map(({ id }) => id)),
      [Symbol.asyncDispose]: async () => {},
    };
  }

  async #send(ids: readonly string[]): Promise<MailOutcome[]> {
    this.sends += 1;
    if (this.#isAway()) return ids.map(() => unreached);
    await this.#time.wait(this.#options.latencyMs);
    this.#refill();
    if (this.#tokens <= 0) {
      this.refusedCalls += 1;
      this.refusedMails += ids.length;
      const retryAfterMs = Math.ceil((1 - this.#tokens) / this.#options.rate) * 1000;
      return ids.map(() => ({ result: "later", error: "429", cause: "limit", retryAfterMs }));
    }
    this.#tokens -= ids.length;
    for (const id of ids) {
      if (this.#taken.has(id)) this.takenTwice += 1;
      this.#taken.add(id);
      this.onTaken(id, this.#time.now());
    }
    return ids.map((id) => ({ result: "taken", providerId: id }));
  }

  async #find(ids: readonly string[]): Promise<MailFinding[]> {
    if (this.#isAway()) return ids.map(() => unreached);
    this.searches += ids.length;
    // One id a call, ten calls at a time.
    await this.#time.wait(this.#options.latencyMs * Math.ceil(ids.length / 10));
    return ids.map((id) => (this.#taken.has(id) ? { result: "taken", providerId: id } : { result: "absent" }));
  }

  #isAway(): boolean {
    const { from, to } = this.#options.outage;
    return this.#time.now() >= from && this.#time.now() < to;
  }

  #refill(): void {
    const { rate } = this.#options;
    const now = this.#time.now();
    this.#tokens = Math.min(rate, this.#tokens + ((now - this.#countedAt) / 1000) * rate);
    this.#countedAt = now;
  }
}

const unreached = { result: "later", error: "ECONNREFUSED", cause: "provider" } as const;
