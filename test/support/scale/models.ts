// The models of the simulation: a store that holds millions of mails in memory, with the port's promises about leases,
// doubts and due times, and a provider with a rate limit, a latency and an outage.
import type { Mailer, MailFinding, MailOutcome } from "../../../server/src/mail/mailer.ts";
import type { LeasedMail, MailSettlement } from "../../../server/src/storage/records.ts";
import type { Lease, Store } from "../../../server/src/storage/store.ts";
import { Heap } from "./heap.ts";
import type { VirtualTime } from "./virtual-time.ts";

interface Row {
  mail: LeasedMail;
  owner: string | null;
  /** When it can be claimed: it is due, or its lease ends. Its entries of the heap with another time are passed over. */
  at: number;
}

const about = {
  welcome: { email: "a@example.org", requestId: "r", language: "en", confirmToken: null, unsubscribeToken: "u" },
} as const;

export class ModelOutboxStore implements Pick<Store, "clock" | "mails"> {
  readonly clock: VirtualTime;
  readonly mails: Store["mails"] = {
    claim: async (now, limit, lease) => this.#claim(now, limit, lease),
    renew: async (ids, lease) => {
      const held = ids.filter((id) => this.queued.get(id)?.owner === lease.owner);
      for (const id of held) this.#lease(this.queued.get(id)!, lease);
      return new Set(held);
    },
    settle: async (settlements, owner) => settlements.forEach((one) => this.#settle(one, owner)),
  };
  readonly queued = new Map<string, Row>();
  readonly #waiting = new Heap<{ readonly row: Row; readonly at: number }>(
    (a, b) => a.at < b.at || (a.at === b.at && a.row.mail.createdAt < b.row.mail.createdAt),
  );
  failed = 0;

  constructor(clock: VirtualTime) {
    this.clock = clock;
  }

  /** Stores a mail, leased. */
  insert(id: string, lease: Lease): LeasedMail {
    const createdAt = this.clock.now();
    const state = { createdAt, attempts: 0, timesNotFound: null, leasedUntil: lease.until };
    const row: Row = { mail: { id, kind: "newsletter-welcome", about, ...state }, owner: null, at: createdAt };
    this.queued.set(id, row);
    return this.#lease(row, lease);
  }

  #claim(now: number, limit: number, lease: Lease): LeasedMail[] {
    const claimed: LeasedMail[] = [];
    for (let entry = this.#waiting.peek(); entry !== undefined; entry = this.#waiting.peek()) {
      const { row, at } = entry;
      const isCurrent = row.at === at && this.queued.has(row.mail.id);
      if (claimed.length >= limit || (isCurrent && at > now)) break;
      this.#waiting.pop();
      if (!isCurrent) continue;
      if (row.owner !== null && row.owner !== lease.owner) row.mail = { ...row.mail, timesNotFound: 0 };
      claimed.push(this.#lease(row, lease));
    }
    return claimed;
  }

  #settle(settlement: MailSettlement, owner: string): void {
    const row = this.queued.get(settlement.id);
    if (row === undefined || row.owner !== owner) return;
    row.owner = null;
    if (settlement.result === "later") {
      const { timesNotFound, tried, dueAt } = settlement;
      row.mail = { ...row.mail, timesNotFound, attempts: row.mail.attempts + (tried ? 1 : 0) };
      this.#wait(row, dueAt);
    } else {
      this.queued.delete(settlement.id);
      this.failed += settlement.result === "sent" ? 0 : 1;
    }
  }

  #lease(row: Row, { owner, until }: Lease): LeasedMail {
    row.owner = owner;
    row.mail = { ...row.mail, leasedUntil: until };
    this.#wait(row, until);
    return row.mail;
  }

  #wait(row: Row, at: number): void {
    if (row.at !== at) this.#waiting.push({ row, at });
    row.at = at;
  }
}

export interface ProviderOptions {
  /** Mails a second; a second's worth may be saved up. */
  readonly rate: number;
  /** Most mails in one call. */
  readonly batchMax: number;
  readonly latencyMs: number;
  /** Nothing is reached before this instant. */
  readonly backAt: number;
}

/**
 * Takes a call as a whole while it has any allowance left, and then answers 429 with Retry-After until the mails of that
 * call are made up for. It remembers each mail it took.
 */
export class ModelProvider {
  readonly #time: VirtualTime;
  readonly #options: ProviderOptions;
  readonly #taken = new Set<string>();
  #tokens: number;
  #countedAt: number;
  calls = 0;
  refusedCalls = 0;
  takenTwice = 0;
  /** The most calls of one process at once. */
  callsAtOnceMax = 0;
  /** Told of each mail that is taken. */
  onTaken: (id: string) => void = () => {};

  constructor(time: VirtualTime, options: ProviderOptions) {
    this.#time = time;
    this.#options = options;
    this.#tokens = options.rate;
    this.#countedAt = time.now();
  }

  /** The mailer of one process. */
  mailer(): Mailer {
    let calls = 0;
    return {
      batchMax: this.#options.batchMax,
      // As Postmark's.
      calls: { fresh: 4, due: 1 },
      gatherMs: 250,
      doubt: "ask",
      send: async (mails) => {
        this.callsAtOnceMax = Math.max(this.callsAtOnceMax, (calls += 1));
        return await this.#send(mails.map(({ id }) => id)).finally(() => (calls -= 1));
      },
      find: (mails) => this.#find(mails.map(({ id }) => id)),
      [Symbol.asyncDispose]: async () => {},
    };
  }

  async #send(ids: readonly string[]): Promise<MailOutcome[]> {
    this.calls += 1;
    const { rate, latencyMs, backAt } = this.#options;
    if (this.#time.now() < backAt) return ids.map(() => unreached);
    await this.#time.wait(latencyMs);
    const now = this.#time.now();
    this.#tokens = Math.min(rate, this.#tokens + ((now - this.#countedAt) / 1000) * rate);
    this.#countedAt = now;
    if (this.#tokens <= 0) {
      this.refusedCalls += 1;
      const retryAfterMs = Math.ceil((1 - this.#tokens) / rate) * 1000;
      return ids.map(() => ({ result: "later", error: "429", cause: "limit", retryAfterMs }));
    }
    this.#tokens -= ids.length;
    for (const id of ids) {
      if (this.#taken.has(id)) this.takenTwice += 1;
      this.#taken.add(id);
      this.onTaken(id);
    }
    return ids.map((id) => ({ result: "taken", providerId: id }));
  }

  async #find(ids: readonly string[]): Promise<MailFinding[]> {
    if (this.#time.now() < this.#options.backAt) return ids.map(() => unreached);
    // One id a call, ten calls at a time.
    await this.#time.wait(this.#options.latencyMs * Math.ceil(ids.length / 10));
    return ids.map((id) => (this.#taken.has(id) ? { result: "taken", providerId: id } : { result: "absent" }));
  }
}

const unreached = { result: "later", error: "ECONNREFUSED", cause: "provider" } as const;
