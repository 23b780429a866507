// The sender of this process: delivers mails that were just committed and mails that are due. It sends a mail when it has
// its lease for long enough (`sql/outbox.ts`), its outcome is not known yet (`outcome-writer.ts`), `rate-limiter.ts` and
// `circuit-breaker.ts` admit it, and the provider was asked about it if it may have been sent before (`settlement.ts`).
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { reached } from "../failpoint.ts";
import { repeatedly } from "../repeatedly.ts";
import type { LeasedMail, MailSettlement, RefusedMail } from "../storage/records.ts";
import { StorageUnavailable, type Lease, type Store } from "../storage/store.ts";
import { type Answer, openAnswers } from "./answers.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { MailContent, Mailer, MailOutcome, OutgoingMail, ProviderAnswer } from "./mailer.ts";
import { handOverMsMax } from "./mailer.ts";
import { openOutcomeWriter, type OutboxEvents, requestIdOf } from "./outcome-writer.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { brokenBy, sendWithBisection } from "./send-with-bisection.ts";
import { afterQuestion, afterTry, mustBeAskedAbout, type TryOutcome } from "./settlement.ts";

const defaults = {
  /** The query for due mails is a look at a partial index that is empty most of the time. */
  pollMs: 1_000,
  /** Two renewals may fail before a lease ends. */
  renewMs: 8_000,
  /** How long a stop waits for mails that were handed over. */
  stopMs: 7_000,
};

interface OutboxOptions extends Readonly<Partial<typeof defaults>> {
  readonly store: Pick<Store, "clock" | "mails">;
  readonly mailer: Mailer;
  readonly compose: (mail: LeasedMail) => MailContent;
  /** Reads the files of a mail from the vault. Absent: none has any. */
  readonly attach?: (mail: OutgoingMail) => Promise<OutgoingMail>;
  /** Whether a mail to this address would come in again; none is sent to it. */
  readonly isInbound?: (address: string) => boolean;
  readonly events: OutboxEvents;
  readonly deadlineMs: number;
}

/** Long enough to ask about a batch and send it; short enough that a mail of a killed process goes out within a minute. */
const leaseMs = 30_000;
/** A lease with less left is renewed. */
const renewedLeaseMsMin = 20_000;
/** A mail with less of its lease left is not begun: the lease could end before it is renewed. */
const leaseMsMin = handOverMsMax + 2_000;
// While the store is away no process can renew its leases. Those that end meanwhile are left alone for this long after it is
// back, so that their processes can renew them or record what became of the mails.
const leaseGraceMs = 15_000;
/** The store is asked about a mail that was leased earlier, before it is sent. */
const trustedMsMax = 1_000;
/** New mails that wait for the provider's limit in memory; more are left to be due, in the store. */
const keptMax = 1_000;
/** A new mail that met the provider's limit is kept in memory for at most this long. */
const keepMsMax = 15_000;

/** A mail in the memory of this process, which holds its lease. */
interface OwnMail {
  readonly mail: LeasedMail;
  leasedUntil: number;
  /** The answer that waits for it; null when none does. */
  readonly answer: Answer | null;
}

export class Outbox implements AsyncDisposable {
  readonly #options: OutboxOptions & typeof defaults;
  readonly #owner = randomUUID();
  readonly #breaker = new CircuitBreaker();
  readonly #limiter = new RateLimiter();
  /** Those that wait for their mails, which go out however the waiting ends. */
  readonly answers: ReturnType<typeof openAnswers>;
  readonly #writer: ReturnType<typeof openOutcomeWriter>;
  // New mails never wait behind those that are due: each sort has calls of its own.
  #fresh: OwnMail[] = [];
  /** The mails that the mailer has now. */
  readonly #inHand = new Map<string, OwnMail>();
  readonly #freshCalls = new Set<Promise<void>>();
  readonly #dueCalls = new Set<Promise<void>>();
  /** Batches about which the store is being asked. */
  readonly #asked = new Set<readonly OwnMail[]>();
  #latestCallAt = -Infinity;
  #freshTimer: NodeJS.Timeout | null = null;
  #freshQueued = false;
  readonly #renewing: AsyncDisposable;
  #polling: AsyncDisposable | null = null;
  #stopped = false;
  /** By the stopwatch. */
  #storeFailedAt: number;
  /** When the store last answered before it failed, by its clock. */
  #storeAnsweredAt = 0;

  constructor(options: OutboxOptions) {
    this.#options = { ...defaults, ...options };
    const { store, mailer, deadlineMs, renewMs } = this.#options;
    this.answers = openAnswers(deadlineMs);
    this.#writer = openOutcomeWriter(store.mails, this.#owner, { ...options.events, failed: this.#failed });
    // What happened before the start is not known. Only a provider that can neither be asked nor recognise a repeated mail
    // needs the grace period.
    this.#storeFailedAt = mailer.doubt === "once-more" ? store.clock.elapsed() : -Infinity;
    this.#renewing = repeatedly(async () => {
      // A store that is slow to fail does not put off the next round, which may still be in time.
      const nextAt = performance.now() + renewMs;
      await this.#renewLeases().catch(this.#failed);
      return Math.max(nextAt - performance.now(), 0);
    });
  }

  /** The lease under which new mails are stored. */
  lease(): Lease {
    return { owner: this.#owner, until: this.#options.store.clock.now() + leaseMs };
  }

  /**
   * Sends mails that were just stored under {@link lease}. Resolves to whether the provider took the submitter's mail,
   * which is the first, within the deadline; false when the first is the team's. Never rejects: the submission is stored.
   */
  deliver(mails: readonly LeasedMail[]): Promise<boolean> {
    try {
      const waits = mails.length > 0 && !mails[0]!.kind.endsWith("-notice");
      const answer = waits ? this.answers.open() : null;
      const owned = mails.map((mail, position) => ownMail(mail, position === 0 ? answer : null));
      if (this.#stopped) this.#giveBack(owned);
      else this.#take(owned);
      return answer?.promise ?? Promise.resolve(false);
    } catch (error) {
      // A mistake of ours. The mails are due once their leases end.
      this.#failed(error);
      return Promise.resolve(false);
    }
  }

  /** Starts looking for due mails. Without `claiming` only outcomes that the store did not take are written again. */
  start({ claiming = true } = {}): void {
    const { pollMs } = this.#options;
    this.#polling = repeatedly(async (signal) => {
      try {
        if (claiming) while (await this.#sendDue(signal));
        else await this.#writer.write();
      } catch (error) {
        // What fails in one round is repaired by the next: the mails stay in the store.
        this.#failed(error);
      }
      return pollMs;
    });
  }

  /** Whether no mail goes out but probes. */
  get isPaused(): boolean {
    return this.#breaker.isOpen;
  }

  /** Claims no more due mails: the process is about to end. Mails that are stored from now on are still sent. */
  stopClaiming(): void {
    void this.#polling?.[Symbol.asyncDispose]();
  }

  /**
   * Stops. Mails that were handed over are waited for; those that are still open then are recorded as in doubt. All others
   * are given back for the next process.
   *
   * @param stopMs how long mails that were handed over are waited for, and a store that does not take their outcomes
   */
  async stop(stopMs = this.#options.stopMs): Promise<void> {
    const { pollMs } = this.#options;
    const polled = this.#polling?.[Symbol.asyncDispose]();
    this.#stopped = true;
    clearTimeout(this.#freshTimer ?? undefined);
    this.#giveBack(this.#fresh.splice(0));
    const endsAt = performance.now() + stopMs;
    const patience = new AbortController();
    const tooLate = sleep(stopMs, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([Promise.all([polled, ...this.#freshCalls, ...this.#dueCalls]), tooLate]);
    patience.abort();
    // A renewal that is under way is not waited for: the store may hang.
    void this.#renewing[Symbol.asyncDispose]();
    const outcome = { result: "later", error: "stopped before the provider answered", cause: "ambiguous" } as const;
    this.#settle(Array.from(this.#inHand.values(), (own) => [own, outcome]));
    this.#inHand.clear();
    // The store may be back in a moment, and after this process nothing knows what became of these mails.
    for (;;) {
      await this.#writer.close().catch(this.#failed);
      const leftMs = endsAt - performance.now();
      if (this.#writer.open.size === 0 || leftMs <= 0) break;
      await sleep(Math.min(pollMs, leftMs));
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #take(mails: readonly OwnMail[]): void {
    this.#fresh.push(...mails);
    if (this.#freshQueued) return;
    // In a moment, so that submissions that shared a commit share a call.
    this.#freshQueued = true;
    setImmediate(() => {
      this.#freshQueued = false;
      this.#sendFresh();
    });
  }

  #sendFresh(): void {
    const { mailer, store } = this.#options;
    while (this.#fresh.length > 0 && !this.#stopped) {
      const now = store.clock.elapsed();
      const waitMs = this.#limiter.waitMs(now);
      if (waitMs > 0) {
        // The provider has said that we send too fast. New mails wait in memory if it is not for long.
        const mayWait = waitMs <= keepMsMax;
        if (mayWait) this.#sendFreshIn(waitMs);
        return this.#giveBack(this.#fresh.splice(mayWait ? keptMax : 0), waitMs);
      }
      const calls = this.#freshCalls.size;
      const gatherMs = calls === 0 ? 0 : this.#latestCallAt + mailer.gatherMs - performance.now();
      if (calls >= mailer.calls.fresh) return;
      if (gatherMs > 0) return this.#sendFreshIn(gatherMs);
      const isProbe = this.#breaker.isOpen;
      const admitted = this.#breaker.admit(mailer.batchMax, now);
      if (admitted === 0) return this.#giveBack(this.#fresh.splice(0), this.#breaker.until - now);
      this.#latestCallAt = performance.now();
      this.#call(this.#freshCalls, this.#fresh.splice(0, admitted), isProbe);
    }
  }

  #sendFreshIn(ms: number): void {
    clearTimeout(this.#freshTimer ?? undefined);
    this.#freshTimer = setTimeout(() => this.#sendFresh(), Math.ceil(ms));
  }

  /** Begins calls for due mails. Answers whether there may be more. */
  async #sendDue(signal: AbortSignal): Promise<boolean> {
    const { store, mailer, pollMs } = this.#options;
    await this.#writer.write();
    if (this.#dueCalls.size >= mailer.calls.due) {
      // A call may take minutes. What the store refuses meanwhile is written again before that: its leases are not renewed.
      await Promise.race([...this.#dueCalls, sleep(pollMs, undefined, { signal, ref: false }).catch(() => {})]);
      return !signal.aborted;
    }
    const now = store.clock.elapsed();
    const isProbe = this.#breaker.isOpen;
    const room = mailer.batchMax * (mailer.calls.due - this.#dueCalls.size);
    const wanted = this.#breaker.lastCallFailed ? 1 : room;
    const admitted = this.#breaker.admit(this.#limiter.admit(wanted, now), now);
    if (admitted === 0 || signal.aborted) return false;
    const { claimed, mails } = await this.#claim(admitted);
    if (isProbe && mails.length === 0) this.#breaker.returnUnusedProbe(now);
    this.#limiter.spend(mails.length);
    const cleared = (await this.#askAbout(mails, isProbe)).map((mail) => ownMail(mail, null));
    if (signal.aborted) {
      this.#giveBack(cleared);
      return false;
    }
    for (let first = 0; first < cleared.length; first += mailer.batchMax) {
      this.#call(this.#dueCalls, cleared.slice(first, first + mailer.batchMax), isProbe);
    }
    return claimed === admitted && wanted === room;
  }

  /** Leases due mails. Answers those that may be sent: they are not here already, and their outcome is not known. */
  async #claim(limit: number): Promise<{ claimed: number; mails: readonly LeasedMail[] }> {
    const { clock } = this.#options.store;
    const [now, startedAt] = [clock.now(), clock.elapsed()];
    const lease = this.lease();
    const storeIsSound = () => startedAt - this.#storeFailedAt >= leaseGraceMs;
    using watch = this.#writer.watch();
    const endedBefore = storeIsSound() ? now : Math.min(now, this.#storeAnsweredAt);
    const due = await this.#options.store.mails.claim(now, limit, lease, { endedBefore });
    if (storeIsSound()) this.#storeAnsweredAt = now;
    const strange = new Set(due.map(({ id }) => id));
    // After a freeze of this process it finds its own mails due.
    for (const own of this.#own()) if (strange.delete(own.mail.id)) own.leasedUntil = lease.until;
    const known = due.filter(
      (mail) =>
        strange.has(mail.id) && !this.#writer.open.has(mail.id) && !isOutdated(mail, watch.recorded.get(mail.id), now),
    );
    this.#writer.record(known.filter(isRefused).map((mail) => [mail, failedAt(now, mail)]));
    return { claimed: due.length, mails: known.filter((mail): mail is LeasedMail => !isRefused(mail)) };
  }

  /** Asks about the mails that may have been sent before. Answers those that may be sent now. */
  async #askAbout(mails: readonly LeasedMail[], isProbe: boolean): Promise<readonly LeasedMail[]> {
    const { mailer } = this.#options;
    const doubtful = mails.filter(mustBeAskedAbout);
    if (mailer.find === undefined || doubtful.length === 0) return mails;
    const findings = await mailer.find(doubtful);
    this.#learn(findings, isProbe);
    const answered = findings.some(({ result }) => result !== "later");
    const moment = this.#moment();
    const settled = new Map<LeasedMail, MailSettlement>();
    doubtful.forEach((mail, position) => {
      const settlement = afterQuestion(mail, findings[position] ?? noFinding, answered, moment);
      if (settlement !== null) settled.set(mail, settlement);
    });
    this.#writer.record([...settled]);
    return mails.filter((mail) => !settled.has(mail));
  }

  #call(calls: Set<Promise<void>>, batch: readonly OwnMail[], isProbe: boolean): void {
    const isFresh = calls === this.#freshCalls;
    const call = this.#sendStored(batch, isProbe, isFresh)
      // A mistake of ours. The mails are in doubt once their leases end.
      .catch(this.#failed)
      .finally(() => {
        calls.delete(call);
        if (isFresh) this.#sendFresh();
      });
    calls.add(call);
  }

  /** Sends a batch without those mails that the store has no more: the person may have been erased meanwhile. */
  async #sendStored(batch: readonly OwnMail[], isProbe: boolean, isFresh: boolean): Promise<void> {
    const { clock } = this.#options.store;
    const old = batch.filter(({ leasedUntil }) => {
      const leftMs = leasedUntil - clock.now();
      // One with less left than a call may take is given back anyway.
      return leftMs < leaseMs - trustedMsMax && leftMs > leaseMsMin;
    });
    if (old.length === 0) return this.#send(batch, isProbe, isFresh);
    this.#asked.add(batch);
    let renewed: ReadonlySet<string>;
    try {
      renewed = await this.#renew(old);
    } catch (error) {
      // The store could not be asked. The mails wait in it until it can.
      this.#failed(error);
      return this.#giveBack(batch);
    } finally {
      this.#asked.delete(batch);
    }
    const gone = new Set(old.filter(({ mail }) => !renewed.has(mail.id)));
    for (const { answer } of gone) answer?.settle(false);
    const left = batch.filter((one) => !gone.has(one));
    if (isProbe && left.length === 0) this.#breaker.returnUnusedProbe(clock.elapsed());
    return this.#stopped ? this.#giveBack(left) : this.#send(left, isProbe, isFresh);
  }

  /** Writes mails, hands them over and records what became of them. Mails whose leases are about to end are given back. */
  async #send(batch: readonly OwnMail[], isProbe: boolean, isFresh: boolean): Promise<void> {
    const { mailer, store, attach = async (mail: OutgoingMail) => mail } = this.#options;
    const hasTime = ({ leasedUntil }: OwnMail) => leasedUntil - store.clock.now() > leaseMsMin;
    const tried: [OwnMail, TryOutcome][] = [];
    const late: OwnMail[] = [];
    const handed: OwnMail[] = [];
    const outgoing: OutgoingMail[] = [];
    for (const own of batch) {
      const written = hasTime(own) ? this.#write(own.mail) : null;
      if (written === null) late.push(own);
      else if ("result" in written) tried.push([own, written]);
      else {
        handed.push(own);
        outgoing.push(written);
        this.#inHand.set(written.id, own);
      }
    }
    if (handed.length > 0) reached("mail-in-hand");
    const options = { mailer, attach, failed: this.#failed, hasTime: () => handed.every(hasTime) };
    const outcomes = await sendWithBisection(options, outgoing);
    if (handed.length > 0) reached("mail-taken");
    this.#learn(outcomes.filter(isAnswer), isProbe);
    const mayKeep = isFresh && !this.#stopped && this.#limiter.waitMs(store.clock.elapsed()) <= keepMsMax;
    const kept: OwnMail[] = [];
    handed.forEach((own, position) => {
      // The outbox has stopped, and recorded it as in doubt.
      if (!this.#inHand.has(own.mail.id)) return;
      const outcome = outcomes[position] ?? null;
      if (outcome === null) late.push(own);
      else if (mayKeep && outcome.result === "later" && outcome.cause === "limit") kept.push(own);
      else tried.push([own, outcome]);
    });
    this.#settle(tried);
    this.#giveBack(late);
    this.#fresh.unshift(...kept);
    // After the records: in between the mails would be known nowhere.
    for (const { mail } of handed) this.#inHand.delete(mail.id);
  }

  #write(mail: LeasedMail): OutgoingMail | TryOutcome {
    const { id, kind, about } = mail;
    try {
      const reference = "submission" in about ? about.submission.reference : null;
      const content = this.#options.compose(mail);
      const { isInbound } = this.#options;
      if (isInbound !== undefined && content.to.some(isInbound)) return toOurselves;
      const receiptOf = kind.endsWith("-receipt") && "submission" in about ? about.submission : null;
      return { id, kind, reference, requestId: requestIdOf(about), receiptOf, content };
    } catch (error) {
      // A mistake of ours about this one mail, whatever it is. The others go out.
      this.#failed(error);
      return brokenBy(error);
    }
  }

  #learn(answers: readonly ProviderAnswer[], isProbe: boolean): void {
    const { events, store } = this.#options;
    const now = store.clock.elapsed();
    if (answers.some(({ result }) => result === "taken")) this.answers.resume();
    this.#limiter.note(answers, now);
    const change = this.#breaker.note(answers, now, isProbe);
    if (change === "closed") {
      this.#limiter.restart(now);
      events.resumed();
    } else if (change !== null) events.paused(change.opened);
  }

  #moment() {
    const { store, mailer } = this.#options;
    const now = store.clock.now();
    const pausedUntil = this.#breaker.isOpen ? Math.ceil(now + this.#breaker.until - store.clock.elapsed()) : null;
    return { now, pausedUntil, doubt: mailer.doubt };
  }

  #settle(tried: readonly (readonly [OwnMail, TryOutcome])[]): void {
    const moment = this.#moment();
    const settled = tried.map(([{ mail, answer }, outcome]) => {
      const settlement = afterTry(mail, outcome, moment);
      if (outcome.result === "taken" && outcome.missed !== undefined) {
        this.#options.events.missed(mail.kind, { id: mail.id, error: outcome.missed });
      }
      answer?.settle(settlement.result === "sent");
      return [mail, settlement] as const;
    });
    this.#writer.record(settled);
  }

  /** Gives mails back that were not handed over. They are due after `waitMs`; without it now, the oldest first. */
  #giveBack(batch: readonly OwnMail[], waitMs = 0): void {
    const at = this.#options.store.clock.now();
    const reason = waitMs > 0 ? "the mail provider takes none at the moment" : "given back to the queue";
    this.#writer.writeSoon(
      batch.map(({ mail: { id, createdAt, denials } }) => {
        const dueAt = waitMs > 0 ? Math.ceil(at + waitMs) : Math.min(createdAt, at);
        return { id, at, result: "later", dueAt, error: `not tried: ${reason}`, denials, tried: false };
      }),
    );
    for (const { answer } of batch) answer?.settle(false);
  }

  /** A provider may take minutes, and no other process may send its mails meanwhile. */
  async #renewLeases(): Promise<void> {
    const now = this.#options.store.clock.now();
    const ending = this.#own().filter(({ leasedUntil }) => leasedUntil - now < renewedLeaseMsMin);
    if (ending.length > 0) await this.#renew(ending);
  }

  /** Answers the ids of those that the store still has for this process. */
  async #renew(mails: readonly OwnMail[]): Promise<ReadonlySet<string>> {
    const lease = this.lease();
    const ids = mails.map(({ mail }) => mail.id);
    const renewed = await this.#options.store.mails.renew(ids, lease);
    for (const own of mails) if (renewed.has(own.mail.id)) own.leasedUntil = lease.until;
    return renewed;
  }

  #own(): readonly OwnMail[] {
    return [...this.#fresh, ...[...this.#asked].flat(), ...this.#inHand.values()];
  }

  readonly #failed = (error: unknown): void => {
    const { store, events } = this.#options;
    if (error instanceof StorageUnavailable) this.#storeFailedAt = store.clock.elapsed();
    events.failed(error);
  };
}

const ownMail = (mail: LeasedMail, answer: Answer | null): OwnMail => ({ mail, leasedUntil: mail.leasedUntil, answer });

const isRefused = (mail: LeasedMail | RefusedMail): mail is RefusedMail => "refused" in mail.about;

const failedAt = (at: number, { id, about: { refused: error }, denials }: RefusedMail) =>
  ({ id, at, result: "failed", error, denials }) as const;

/** Whether a settlement reached the store after the claim had read the mail. Sending it could send it twice. */
const isOutdated = (mail: LeasedMail | RefusedMail, settled: MailSettlement | undefined, now: number): boolean =>
  settled !== undefined && (settled.result !== "later" || settled.dueAt > now || settled.denials !== mail.denials);

const isAnswer = (outcome: TryOutcome | null): outcome is MailOutcome =>
  outcome !== null && outcome.result !== "broken" && outcome.result !== "unready";

const toOurselves = { result: "refused", error: "to an address of INBOUND_ADDRESS", inactiveRecipient: false } as const;

const noFinding = { result: "later", error: "mailer: no finding", cause: "provider" } as const;
