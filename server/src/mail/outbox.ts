// The sender of this process: delivers mails that were just committed and mails that are due, each under a lease of its
// own, so that no other process sends it.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { repeatedly } from "../repeatedly.ts";
import type { LeasedMail, MailSettlement } from "../storage/records.ts";
import type { Lease, Store } from "../storage/store.ts";
import { Answers } from "./answers.ts";
import { Delivery, keepMsMax, type HeldMail, type OutboxEvents } from "./delivery.ts";
import type { MailContent, Mailer } from "./mailer.ts";
import { Pace } from "./pace.ts";
import { SenderPause } from "./pause.ts";
import { SettlementBook } from "./settlement-book.ts";
import { TakeOver } from "./take-over.ts";

interface OutboxOptions {
  readonly store: Pick<Store, "clock" | "mails">;
  readonly mailer: Mailer;
  /** Writes a mail, when it is sent. */
  readonly compose: (mail: LeasedMail) => MailContent;
  readonly events: OutboxEvents;
  /** How long an answer waits for its confirmation mail. */
  readonly deadlineMs: number;
  /** How often due mails are looked for. */
  readonly pollMs?: number;
  /** How often leases that are about to end are renewed. */
  readonly renewMs?: number;
  /** How long a stop waits for mails that were handed over. */
  readonly stopMs?: number;
}

/**
 * Long enough to ask about a batch and to send it; short enough that a mail whose process was killed is asked about twice
 * and goes out within a minute of the restart.
 */
const leaseMs = 30_000;
/** The query for due mails is a look at a partial index that is empty most of the time. */
const pollMsDefault = 1_000;
/** Two renewals may fail before a lease ends. */
const renewMsDefault = 8_000;
/** A lease with less left is renewed. */
const renewedLeaseMsMin = 20_000;
const stopMsDefault = 7_000;
/** New mails that wait for the provider's limit in memory; more are left to be due, in the store. */
const keptMax = 1_000;

/** Sends mails now, and later what could not be sent now. */
export class Outbox implements AsyncDisposable {
  readonly #options: OutboxOptions;
  readonly #owner = randomUUID();
  readonly #pause = new SenderPause();
  readonly #pace = new Pace();
  readonly #takeOver: TakeOver;
  readonly #answers: Answers;
  readonly #book: SettlementBook;
  readonly #delivery: Delivery;
  // New mails never wait behind those that are due: each sort has calls of its own.
  #fresh: HeldMail[] = [];
  readonly #freshCalls = new Set<Promise<void>>();
  readonly #dueCalls = new Set<Promise<void>>();
  #latestCallAt = -Infinity;
  #freshTimer: NodeJS.Timeout | null = null;
  #freshQueued = false;
  readonly #renewing: AsyncDisposable;
  #polling: AsyncDisposable | null = null;
  #stopped = false;

  constructor(given: OutboxOptions) {
    const failed = (error: unknown) => {
      this.#takeOver.failed(error, given.store.clock.now());
      given.events.failed(error);
    };
    const options = { ...given, events: { ...given.events, failed } };
    this.#options = options;
    // A provider that can be asked, or a repetition that does no harm, needs no such care at the start.
    this.#takeOver = new TakeOver(given.mailer.doubt === "once-more" ? given.store.clock.now() : -Infinity);
    this.#answers = new Answers(options.deadlineMs);
    this.#book = new SettlementBook(options.store.mails, this.#owner);
    this.#delivery = new Delivery({ ...options, book: this.#book, pause: this.#pause, pace: this.#pace });
    const { renewMs = renewMsDefault } = options;
    this.#renewing = repeatedly(async () => {
      // A store that is slow to fail does not put off the next round.
      const nextAt = performance.now() + renewMs;
      // When the store cannot be used now, the next round may still be in time.
      await this.#renewLeases().catch(failed);
      return Math.max(nextAt - performance.now(), 0);
    });
  }

  /** The lease under which new mails are stored. */
  lease(): Lease {
    return { owner: this.#owner, until: this.#options.store.clock.now() + leaseMs };
  }

  /**
   * Sends mails that were just stored under {@link lease}. Resolves to whether the provider took the submitter's mail,
   * which is the first, within the deadline; false when the first is the team's. The other mails, and later tries, go on
   * without the caller. Never rejects: the submission is stored, whatever becomes of its mails now.
   */
  deliver(mails: readonly LeasedMail[]): Promise<boolean> {
    try {
      const waits = mails.length > 0 && !mails[0]!.kind.endsWith("-notice");
      const answer = waits ? this.#answers.open() : null;
      const held = mails.map((mail, position): HeldMail => {
        return { mail, leasedUntil: mail.leasedUntil, answer: position === 0 ? answer : null };
      });
      if (this.#stopped) this.#delivery.giveBack(held);
      else this.#take(held);
      return answer?.promise ?? Promise.resolve(false);
    } catch (error) {
      // A mistake of ours. The mails are due once their leases end.
      this.#options.events.failed(error);
      return Promise.resolve(false);
    }
  }

  /**
   * Delivers nothing, takes as long as the latest {@link deliver} did, and resolves to the same: for answers that must not
   * show that no mail stands behind them.
   */
  imitateDelivery(): Promise<boolean> {
    return this.#answers.imitate();
  }

  /** From now on no answer waits for its mail, which goes out all the same. */
  endAnswers(): void {
    this.#answers.end();
  }

  /**
   * Starts looking for due mails: those of an earlier process, and those to be tried again. Without `claiming` they are left
   * to other processes, and only settlements that the store did not take are written again.
   */
  start({ claiming = true } = {}): void {
    const { pollMs = pollMsDefault, events } = this.#options;
    this.#polling = repeatedly(async (signal) => {
      try {
        if (claiming) while (await this.#sendDue(signal));
        else await this.#book.write();
      } catch (error) {
        // What fails in one round is repaired by the next: the mails stay in the store.
        events.failed(error);
      }
      return pollMs;
    });
  }

  /** Claims no more due mails: the process is about to end. Mails that are stored from now on are still sent. */
  stopClaiming(): void {
    void this.#polling?.[Symbol.asyncDispose]();
  }

  /**
   * Stops. Mails that were handed over are waited for; those that are still open then are recorded as in doubt. All others
   * are given back for the next process.
   *
   * @param stopMs how long mails that were handed over are waited for, and then a store that does not take what became of
   *   them
   */
  async stop(stopMs = this.#options.stopMs ?? stopMsDefault): Promise<void> {
    const { events, pollMs = pollMsDefault } = this.#options;
    const polled = this.#polling?.[Symbol.asyncDispose]();
    this.#stopped = true;
    clearTimeout(this.#freshTimer ?? undefined);
    this.#delivery.giveBack(this.#fresh.splice(0));
    const endsAt = performance.now() + stopMs;
    const patience = new AbortController();
    const tooLate = sleep(stopMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([Promise.all([polled, ...this.#freshCalls, ...this.#dueCalls]), tooLate]);
    patience.abort();
    // A renewal that is under way is not waited for: the store may hang.
    void this.#renewing[Symbol.asyncDispose]();
    this.#delivery.abandon();
    // The store may be back in a moment, and after this process nothing knows what became of these mails.
    for (;;) {
      await this.#book.close().catch(events.failed);
      const leftMs = endsAt - performance.now();
      if (!this.#book.isOpen || leftMs <= 0) break;
      await sleep(Math.min(pollMs, leftMs));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #take(mails: readonly HeldMail[]): void {
    this.#fresh.push(...mails);
    if (this.#freshQueued) return;
    // In a moment, so that submissions that shared a commit share a call.
    this.#freshQueued = true;
    setImmediate(() => {
      this.#freshQueued = false;
      this.#sendFresh();
    });
  }

  /** Begins as many calls for new mails as may be under way. */
  #sendFresh(): void {
    const { mailer, store } = this.#options;
    while (this.#fresh.length > 0 && !this.#stopped) {
      const now = store.clock.now();
      const heldMs = this.#pace.heldUntil - now;
      if (heldMs > 0) return this.#wait(heldMs, now);
      const calls = this.#freshCalls.size;
      const gatherMs = calls === 0 ? 0 : this.#latestCallAt + mailer.gatherMs - performance.now();
      if (calls >= mailer.calls.fresh) return;
      if (gatherMs > 0) return this.#sendFreshIn(gatherMs);
      const isProbe = this.#pause.isOn;
      const admitted = this.#pause.admit(mailer.batchMax, now);
      if (admitted === 0) return this.#delivery.giveBack(this.#fresh.splice(0), this.#pause.until);
      this.#latestCallAt = performance.now();
      this.#call(this.#freshCalls, this.#fresh.splice(0, admitted), isProbe);
    }
  }

  /** The provider has said that we send too fast. New mails wait in memory if it is not for long. */
  #wait(heldMs: number, now: number): void {
    if (heldMs <= keepMsMax) this.#sendFreshIn(heldMs);
    const kept = heldMs <= keepMsMax ? keptMax : 0;
    if (this.#fresh.length > kept) this.#delivery.giveBack(this.#fresh.splice(kept), now + heldMs);
  }

  #sendFreshIn(ms: number): void {
    clearTimeout(this.#freshTimer ?? undefined);
    this.#freshTimer = setTimeout(() => this.#sendFresh(), Math.ceil(ms));
  }

  #call(calls: Set<Promise<void>>, batch: readonly HeldMail[], isProbe: boolean): void {
    const isFresh = calls === this.#freshCalls;
    const call = this.#send(batch, isProbe, isFresh).finally(() => {
      calls.delete(call);
      if (isFresh) this.#sendFresh();
    });
    calls.add(call);
  }

  async #send(batch: readonly HeldMail[], isProbe: boolean, isFresh: boolean): Promise<void> {
    try {
      const kept = await this.#delivery.send(batch, isProbe, isFresh);
      if (this.#stopped) this.#delivery.giveBack(kept);
      else this.#fresh.unshift(...kept);
    } catch (error) {
      // A mistake of ours. The mails are in doubt once their leases end.
      this.#options.events.failed(error);
    }
  }

  /** Begins calls for due mails. Answers whether there may be more. */
  async #sendDue(signal: AbortSignal): Promise<boolean> {
    const { store, mailer, pollMs = pollMsDefault } = this.#options;
    // Settlements that the store did not take before come first.
    await this.#book.write();
    if (this.#dueCalls.size >= mailer.calls.due) {
      // A call may take minutes. What the store refuses meanwhile is written again before that: its leases are not renewed.
      await Promise.race([...this.#dueCalls, sleep(pollMs, undefined, { signal, ref: false }).catch(() => {})]);
      return !signal.aborted;
    }
    const now = store.clock.now();
    const isProbe = this.#pause.isOn;
    const room = mailer.batchMax * (mailer.calls.due - this.#dueCalls.size);
    const wanted = this.#pause.isUneasy ? 1 : room;
    const admitted = this.#pause.admit(this.#pace.admit(wanted, now), now);
    if (admitted === 0 || signal.aborted) return false;
    const lease = this.lease();
    using watch = this.#book.watch();
    const due = await store.mails.claim(now, admitted, lease, { endedBefore: this.#takeOver.endedBefore(now) });
    this.#takeOver.answered(now);
    const mails = this.#notHeld(due, lease).filter((mail) => !isOutdated(mail, watch.recorded.get(mail.id), now));
    if (isProbe && mails.length === 0) this.#pause.decline(now);
    this.#pace.spend(mails.length);
    const cleared = await this.#delivery.clearDoubts(mails, isProbe);
    const held = cleared.map((mail): HeldMail => ({ mail, leasedUntil: mail.leasedUntil, answer: null }));
    if (signal.aborted) {
      this.#delivery.giveBack(held);
      return false;
    }
    for (let first = 0; first < held.length; first += mailer.batchMax) {
      this.#call(this.#dueCalls, held.slice(first, first + mailer.batchMax), isProbe);
    }
    return due.length === admitted && wanted === room;
  }

  /** A provider may take minutes, and no other process may send its mails meanwhile. */
  async #renewLeases(): Promise<void> {
    const { store } = this.#options;
    const now = store.clock.now();
    const ending = this.#held().filter(({ leasedUntil }) => leasedUntil - now < renewedLeaseMsMin);
    if (ending.length === 0) return;
    const lease = this.lease();
    const ids = ending.map(({ mail }) => mail.id);
    const renewed = await store.mails.renew(ids, lease);
    for (const held of ending) if (renewed.has(held.mail.id)) held.leasedUntil = lease.until;
  }

  #held(): readonly HeldMail[] {
    return [...this.#fresh, ...this.#delivery.inHand];
  }

  /** The mails that are not here already. After a freeze of this process it finds its own mails due. */
  #notHeld(due: readonly LeasedMail[], lease: Lease): readonly LeasedMail[] {
    const claimed = new Set(due.map(({ id }) => id));
    for (const held of this.#held()) {
      if (claimed.delete(held.mail.id)) held.leasedUntil = lease.until;
    }
    return due.filter(({ id }) => claimed.has(id) && !this.#book.holds(id));
  }
}

/**
 * Whether the claim read the mail before a settlement that reached the store during the claim. Then the mail is settled or
 * not due, or the provider may have taken it in a try that the claim does not show. Sending it could send it twice.
 */
const isOutdated = (mail: LeasedMail, settled: MailSettlement | undefined, now: number): boolean =>
  settled !== undefined && (settled.result !== "later" || settled.dueAt > now || settled.denials !== mail.denials);
