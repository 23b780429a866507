// The sender of this process: takes mails that were just committed and mails that are due, hands them to the mailer in
// batches, and writes down what became of each. Every mail it touches is leased to it, so nobody else sends it.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { LeasedMail, MailSettlement, NewMail } from "../storage/records.ts";
import type { Lease, Store } from "../storage/store.ts";
import type { Mailer, MailOutcome } from "./mailer.ts";
import { nextTry } from "./retry-schedule.ts";

/** What the outbox tells the log and the metrics; ids and words of ours only. */
export interface OutboxEvents {
  settled(kind: NewMail["kind"], result: MailSettlement["result"], detail: { id: string; error?: string }): void;
  /** Something failed that a later round repairs. */
  stumbled(error: unknown): void;
}

interface OutboxOptions {
  readonly store: Pick<Store, "claimDueMails" | "settleMails" | "releaseMails">;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly events: OutboxEvents;
  /** How long an answer waits for its confirmation mail. */
  readonly deadlineMs: number;
  /** How often due mails are looked for; each second unless said otherwise. */
  readonly pollMs?: number;
}

// Long enough for a try that hangs until its time-out, with a queue in front of it; short enough that a mail whose
// process was killed goes out within a minute of the restart.
const leaseMs = 45_000;
// A mail is not handed to the mailer when its lease could end during the try: the mailers give up after 10 s.
const tryMsMax = 15_000;
// Sends under way at once. While all are busy, waiting mails gather into the next batch.
const sendsAtOnceMax = 4;
// The query for due mails is a look at a partial index that is empty most of the time.
const pollMsDefault = 1_000;

interface Waiting {
  readonly mail: LeasedMail;
  readonly leasedUntil: number;
  readonly settle: (taken: boolean) => void;
}

/** Sends mails now, and later whatever could not be sent now. */
export class Outbox implements AsyncDisposable {
  readonly #options: OutboxOptions;
  readonly #owner = randomUUID();
  readonly #queue: Waiting[] = [];
  readonly #sends = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  // Outcomes that the store would not take yet. Their mails must not be sent again whatever the store says.
  readonly #unsettled = new Map<string, MailSettlement>();
  #polling: Promise<void> = Promise.resolve();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** The lease under which new mails are stored. */
  lease(now: number): Lease {
    return { owner: this.#owner, until: now + leaseMs };
  }

  /**
   * Sends mails that were just stored under {@link lease}. Resolves to whether the provider took the first of them
   * (the receipt) within the deadline; the others, and later tries, go on without the caller.
   */
  deliverNow(mails: readonly NewMail[], storedAt: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    mails.forEach((mail, position) => {
      this.#queue.push({
        mail: { ...mail, attempts: 0, createdAt: storedAt },
        leasedUntil: storedAt + leaseMs,
        settle: position === 0 ? resolve : () => {},
      });
    });
    this.#pump();
    if (mails.length === 0) resolve(false);
    const deadline = setTimeout(resolve, this.#options.deadlineMs, false);
    return promise.finally(() => clearTimeout(deadline));
  }

  /** Starts looking for due mails: those of an earlier process, and those to be tried again. */
  start(): void {
    this.#polling = this.#poll();
  }

  /** Stops: what is being sent is finished and written down, what waits is given back for the next process. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
    for (const { settle } of this.#queue.splice(0)) settle(false);
    while (this.#sends.size > 0) await Promise.all(this.#sends);
    await this.#settle([]);
    // A mail whose outcome could not be written down must not look untouched to the next process.
    if (this.#unsettled.size > 0) return;
    await this.#options.store.releaseMails(this.#owner, this.#options.clock.now()).catch(this.#options.events.stumbled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping;
    const { pollMs = pollMsDefault } = this.#options;
    while (!signal.aborted) {
      // What fails in one round is repaired by the next: the mails stay in the store.
      await this.#sendDue().catch(this.#options.events.stumbled);
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
  }

  async #sendDue(): Promise<void> {
    if (this.#unsettled.size > 0) await this.#settle([]);
    const { store, clock, mailer } = this.#options;
    while (!this.#stopping.signal.aborted && this.#queue.length < mailer.batchMax) {
      const now = clock.now();
      const due = await store.claimDueMails(now, mailer.batchMax, this.lease(now));
      for (const mail of due) this.#queue.push({ mail, leasedUntil: now + leaseMs, settle: () => {} });
      this.#pump();
      if (due.length < mailer.batchMax) return;
      await Promise.race(this.#sends);
    }
  }

  #pump(): void {
    while (this.#queue.length > 0 && this.#sends.size < sendsAtOnceMax && !this.#stopping.signal.aborted) {
      const batch = this.#takeBatch();
      if (batch.length === 0) continue;
      const send = this.#send(batch).finally(() => {
        this.#sends.delete(send);
        this.#pump();
      });
      this.#sends.add(send);
    }
  }

  #takeBatch(): Waiting[] {
    const now = this.#options.clock.now();
    return this.#queue.splice(0, this.#options.mailer.batchMax).filter((waiting) => {
      const keep = waiting.leasedUntil - now > tryMsMax && !this.#unsettled.has(waiting.mail.id);
      // Left to whoever claims it once the lease is over.
      if (!keep) waiting.settle(false);
      return keep;
    });
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const outcomes = await this.#options.mailer.send(batch.map(({ mail }) => mail)).catch((error: unknown) => {
      this.#options.events.stumbled(error);
      return batch.map((): MailOutcome => ({
        result: "later",
        error: "mailer failed",
        cause: "ambiguous",
      }));
    });
    const now = this.#options.clock.now();
    const settlements = batch.map(({ mail, settle }, position) => {
      const outcome = outcomes[position] ?? {
        result: "later",
        error: "no outcome",
        cause: "ambiguous",
      };
      settle(outcome.result === "taken");
      const settlement = settlementOf(mail, outcome, now);
      this.#options.events.settled(mail.kind, settlement.result, {
        id: mail.id,
        ...(settlement.result === "sent" ? {} : { error: settlement.error }),
      });
      return settlement;
    });
    await this.#settle(settlements);
  }

  // A settlement that the store cannot take now is kept and tried again with the next one: forgetting it would send the
  // mail twice.
  async #settle(fresh: readonly MailSettlement[]): Promise<void> {
    const settlements = [...this.#unsettled.values(), ...fresh];
    if (settlements.length === 0) return;
    try {
      await this.#options.store.settleMails(settlements, this.#owner);
      for (const { id } of settlements) this.#unsettled.delete(id);
    } catch (error) {
      for (const settlement of fresh) this.#unsettled.set(settlement.id, settlement);
      this.#options.events.stumbled(error);
    }
  }
}

function settlementOf(mail: LeasedMail, outcome: MailOutcome, now: number): MailSettlement {
  if (outcome.result === "taken") return { id: mail.id, result: "sent", at: now, providerId: outcome.providerId };
  if (outcome.result === "refused") return { id: mail.id, result: "failed", at: now, error: outcome.error };
  const dueAt = nextTry({
    createdAt: mail.createdAt,
    attempts: mail.attempts + 1,
    now,
    retryAfterMs: outcome.retryAfterMs,
  });
  return dueAt === undefined
    ? { id: mail.id, result: "failed", at: now, error: `given up: ${outcome.error}` }
    : { id: mail.id, result: "later", at: now, dueAt, error: outcome.error };
}
