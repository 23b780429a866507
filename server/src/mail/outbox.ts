// The sender of this process: takes mails that were just committed and mails that are due, and sees to it that each is
// delivered under a lease of its own, so that nobody else sends it.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { NewMail } from "../storage/records.ts";
import type { Lease, Store } from "../storage/store.ts";
import { Delivery, type OutboxEvents, type Waiting } from "./delivery.ts";
import type { Mailer } from "./mailer.ts";
import { SenderPause } from "./pause.ts";

interface OutboxOptions {
  readonly store: Pick<Store, "claimDueMails" | "settleMails" | "releaseMails">;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly events: OutboxEvents;
  /** How long an answer waits for its confirmation mail. */
  readonly deadlineMs: number;
  /** How often due mails are looked for; each second unless said otherwise. */
  readonly pollMs?: number;
  /** How long a stop waits for calls under way; 3 seconds unless said otherwise. */
  readonly stopMs?: number;
}

// Long enough to ask about a batch and to send it; short enough that a mail whose process was killed is asked about
// twice and goes out within a minute of the restart.
const leaseMs = 30_000;
// Calls for fresh mails under way at once. While all are busy, waiting mails gather into the next batch.
const sendsAtOnceMax = 4;
// The query for due mails is a look at a partial index that is empty most of the time.
const pollMsDefault = 1_000;
// With the 5.5 s that the HTTP side takes before (draining.ts), less than a process is given to end. What is still under way
// then is asked about by the next process.
const stopMsDefault = 3_000;

/** Sends mails now, and later whatever could not be sent now. */
export class Outbox implements AsyncDisposable {
  readonly #options: OutboxOptions;
  readonly #owner = randomUUID();
  readonly #pause = new SenderPause();
  readonly #delivery: Delivery;
  // Fresh mails never wait behind those that are due, of which one batch is sent at a time.
  readonly #fresh: Waiting[] = [];
  readonly #sends = new Set<Promise<void>>();
  readonly #putOffs = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #claiming = new AbortController();
  // What the latest answer waited for its receipt, and what it said.
  #latest = { ms: 0, taken: true };
  #polling: Promise<void> = Promise.resolve();

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#delivery = new Delivery({ ...options, owner: this.#owner, pause: this.#pause });
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
    if (mails.length === 0) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const begun = performance.now();
    mails.forEach((mail, position) => {
      this.#fresh.push({
        mail: { ...mail, attempts: 0, createdAt: storedAt, denials: null },
        leasedUntil: storedAt + leaseMs,
        answer: position === 0 ? resolve : () => {},
      });
    });
    this.#pump();
    const deadline = setTimeout(resolve, this.#options.deadlineMs, false);
    return promise.then((taken) => {
      clearTimeout(deadline);
      this.#latest = { ms: performance.now() - begun, taken };
      return taken;
    });
  }

  /**
   * Delivers nothing, takes as long over it as the latest {@link deliverNow} did, and resolves to the same: for answers
   * that must not show that no mail stands behind them.
   */
  async imitateDelivery(): Promise<boolean> {
    const { ms, taken } = this.#latest;
    await sleep(ms, undefined, { ref: false });
    return taken;
  }

  /**
   * Starts looking for due mails: those of an earlier process, and those to be tried again. Without `claiming` they are left
   * to other processes, and only outcomes that the store did not take are written down when it does.
   */
  start({ claiming = true } = {}): void {
    const nothingMore = () => false;
    this.#polling = this.#poll(() => (claiming ? this.#sendDue() : this.#delivery.writeOpen().then(nothingMore)));
  }

  /** Claims no more due mails: the process is about to end. Mails that are stored from now on are still sent. */
  stopClaiming(): void {
    this.#claiming.abort();
  }

  /**
   * Stops: what is being sent is finished and written down, what waits is given back for the next process. A try that
   * does not end in time keeps its lease, so that the next process asks about it.
   */
  async stop(): Promise<void> {
    const { stopMs = stopMsDefault, store, clock, events } = this.#options;
    this.stopClaiming();
    this.#stopping.abort();
    for (const { answer } of this.#fresh.splice(0)) answer(false);
    const patience = new AbortController();
    const tooLate = sleep(stopMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([Promise.all([this.#polling, ...this.#sends, ...this.#putOffs]), tooLate]);
    patience.abort();
    await this.#delivery.writeOpen().catch(events.stumbled);
    // A mail that may have been sent must not look untouched to the next process.
    if (this.#delivery.holdsAny) return;
    await store.releaseMails(this.#owner, clock.now()).catch(events.stumbled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #pump(): void {
    const { mailer, clock } = this.#options;
    while (this.#fresh.length > 0 && this.#sends.size < sendsAtOnceMax && !this.#stopping.signal.aborted) {
      const isProbe = this.#pause.isOn;
      const admitted = this.#pause.admit(mailer.batchMax, clock.now());
      const batch = this.#fresh.splice(0, admitted);
      if (batch.length === 0) {
        const putOff = this.#delivery.putOff(this.#fresh.splice(0)).finally(() => this.#putOffs.delete(putOff));
        this.#putOffs.add(putOff);
        return;
      }
      const send = this.#delivery.send(batch, isProbe).finally(() => {
        this.#sends.delete(send);
        this.#pump();
      });
      this.#sends.add(send);
    }
  }

  /** @param round answers whether there may be more to do at once */
  async #poll(round: () => Promise<boolean>): Promise<void> {
    const { signal } = this.#claiming;
    const { pollMs = pollMsDefault, events } = this.#options;
    while (!signal.aborted) {
      try {
        while (await round());
      } catch (error) {
        // What fails in one round is repaired by the next: the mails stay in the store.
        events.stumbled(error);
      }
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Sends one batch of due mails. Answers whether there may be more. */
  async #sendDue(): Promise<boolean> {
    const { store, clock, mailer } = this.#options;
    await this.#delivery.writeOpen();
    const now = clock.now();
    const isProbe = this.#pause.isOn;
    const admitted = this.#pause.admit(this.#pause.isUneasy ? 1 : mailer.batchMax, now);
    if (admitted === 0 || this.#claiming.signal.aborted) return false;
    const lease = this.lease(now);
    const due = await store.claimDueMails(now, admitted, lease);
    const mails = due.filter(({ id }) => !this.#delivery.holds(id));
    if (isProbe && mails.length === 0) this.#pause.decline(now);
    const cleared = await this.#delivery.clearDoubts(mails, isProbe);
    if (this.#claiming.signal.aborted) return false;
    const batch = cleared.map((mail) => ({ mail, leasedUntil: lease.until, answer: () => {} }));
    await this.#delivery.send(batch, isProbe);
    return due.length === mailer.batchMax;
  }
}
