// The sender of this process: delivers mails that were just committed and mails that are due. It sends a mail when it has
// its lease for long enough (`sql/outbox.ts`), its outcome is not known yet (`outcome-writer.ts`), `rate-limiter.ts` and
// `circuit-breaker.ts` admit it, and the provider was asked about it if it may have been sent before (`settlement.ts`).
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { emailKey } from "@submissions/shared/addresses";
import { reached } from "../failpoint.ts";
import { repeatedly } from "../repeatedly.ts";
import type { LeasedMail, MailSettlement, RefusedMail } from "../storage/records.ts";
import { StorageUnavailable, type Lease, type Store } from "../storage/store.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { MailContent, Mailer, MailOutcome, OutgoingMail, ProviderAnswer } from "./mailer.ts";
import { handOverMsMax } from "./mailer.ts";
import { openOutcomeWriter, type OutboxEvents, requestIdOf } from "./outcome-writer.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { brokenBy, sendWithBisection } from "./send-with-bisection.ts";
import { afterQuestion, afterTry, mustBeAskedAbout, type TryOutcome } from "./settlement.ts";
import { openWaitingCallers, type WaitingCaller } from "./waiting-callers.ts";

const defaults = {
  /** The query for due mails is a look at a partial index that is empty most of the time. */
  pollMs: 1_000,
  /** Two renewals may fail before a lease ends. */
  renewMs: 8_000,
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
/** With less of its lease left a mail is no more handed over: the lease could not be renewed, and ends soon. */
const givenUpMs = 2_000;
/** A mail with less of its lease left is not begun: the lease could end before it is renewed. */
const leaseMsMin = handOverMsMax + givenUpMs;
// While the store is away no process can renew its leases. Those that end meanwhile are left alone for this long after it is
// back, so that their processes can renew them or record what became of the mails.
const leaseGraceMs = 15_000;
/** The store is asked about a mail that was leased earlier, before it is sent. */
const trustedMsMax = 1_000;
/** New mails that wait for the provider's limit in memory; more are left to be due, in the store. */
const keptMax = 1_000;
/** A new mail that met the provider's limit is kept in memory for at most this long. */
const keepMsMax = 15_000;

/** So many new mails go out in two calls: the provider reads the first half while the second is written. */
const halvedMin = 64;

/** A mail in the memory of this process, which holds its lease. */
interface OwnMail {
  readonly mail: LeasedMail;
  leasedUntil: number;
  /** The caller who waits for it; null: none does. */
  readonly caller: WaitingCaller | null;
}

export type Outbox = ReturnType<typeof openOutbox>;

export function openOutbox(options: OutboxOptions) {
  const { store, mailer, compose, isInbound, events, deadlineMs, attach = async (mail) => mail } = options;
  const { pollMs, renewMs } = { ...defaults, ...options };
  const { clock } = store;
  const owner = randomUUID();
  const newLease = (): Lease => ({ owner, until: clock.now() + leaseMs });
  const breaker = new CircuitBreaker();
  const limiter = new RateLimiter();
  const callers = openWaitingCallers(deadlineMs);
  const writer = openOutcomeWriter(store.mails, owner, { ...events, failed });
  // New mails never wait behind those that are due: each sort has calls of its own.
  const fresh: OwnMail[] = [];
  /** The mails that the mailer has now. */
  const inHand = new Map<string, OwnMail>();
  const freshCalls = new Set<Promise<void>>();
  const dueCalls = new Set<Promise<void>>();
  /** Batches about which the store is being asked. */
  const asked = new Set<readonly OwnMail[]>();
  let latestCallAt = -Infinity;
  let freshTimer: NodeJS.Timeout | undefined;
  let freshQueued = false;
  let polling: AsyncDisposable | undefined;
  let stopped = false;
  // By the stopwatch. Before the start it may have failed: that matters where a mail could be sent twice unnoticed.
  let storeFailedAt = mailer.doubt === "once-more" ? clock.elapsed() : -Infinity;
  /** When the store last answered before it failed, by its clock. */
  let storeAnsweredAt = 0;
  const renewing = repeatedly(async () => {
    // A store that is slow to fail does not put off the next round, which may still be in time.
    const nextAt = performance.now() + renewMs;
    await renewLeases().catch(failed);
    return Math.max(nextAt - performance.now(), 0);
  });

  function take(mails: readonly OwnMail[]): void {
    fresh.push(...mails);
    if (freshQueued) return;
    // In a moment, so that submissions that shared a commit share a call.
    freshQueued = true;
    setImmediate(() => {
      freshQueued = false;
      sendFresh();
    });
  }

  /** @param isSecondHalf of many mails: their first half was just handed over, and it waits for no others */
  function sendFresh(isSecondHalf = false): void {
    if (stopped) return;
    while (fresh.length > 0) {
      const now = clock.elapsed();
      const waitMs = limiter.waitMs(now);
      if (waitMs > 0) {
        // The provider has said that we send too fast. New mails wait in memory if it is not for long.
        const mayWait = waitMs <= keepMsMax;
        if (mayWait) sendFreshIn(waitMs);
        return giveBack(fresh.splice(mayWait ? keptMax : 0), waitMs);
      }
      const calls = freshCalls.size;
      const gatherMs = calls === 0 || isSecondHalf ? 0 : latestCallAt + mailer.gatherMs - performance.now();
      if (calls >= mailer.calls.fresh) return;
      if (gatherMs > 0) return sendFreshIn(gatherMs);
      const isProbe = breaker.isOpen;
      const admitted = breaker.admit(mailer.batchMax, now);
      if (admitted === 0) return giveBack(fresh.splice(0), breaker.until - now);
      latestCallAt = performance.now();
      const count = Math.min(admitted, fresh.length);
      if (count >= halvedMin && !isSecondHalf) {
        call(freshCalls, fresh.splice(0, Math.ceil(count / 2)), isProbe);
        setImmediate(sendFresh, true);
        return;
      }
      call(freshCalls, fresh.splice(0, count), isProbe);
      isSecondHalf = false;
    }
  }

  function sendFreshIn(ms: number): void {
    clearTimeout(freshTimer);
    freshTimer = setTimeout(() => sendFresh(), Math.ceil(ms));
  }

  /** Begins calls for due mails. Answers whether there may be more. */
  async function sendDue(signal: AbortSignal): Promise<boolean> {
    await writer.write();
    if (dueCalls.size >= mailer.calls.due) {
      // A call may take minutes. What the store refuses meanwhile is written again before that: its leases are not renewed.
      await Promise.race([...dueCalls, sleep(pollMs, undefined, { signal, ref: false }).catch(() => {})]);
      return !signal.aborted;
    }
    const now = clock.elapsed();
    const isProbe = breaker.isOpen;
    const room = mailer.batchMax * (mailer.calls.due - dueCalls.size);
    const wanted = breaker.lastCallFailed ? 1 : room;
    const admitted = breaker.admit(limiter.admit(wanted, now), now);
    if (admitted === 0 || signal.aborted) return false;
    const { claimed, mails } = await claim(admitted);
    if (isProbe && mails.length === 0) breaker.returnUnusedProbe(now);
    limiter.spend(mails.length);
    const cleared = (await askAbout(mails, isProbe)).map((mail) => ownMail(mail, null));
    if (signal.aborted) {
      giveBack(cleared);
      return false;
    }
    for (let first = 0; first < cleared.length; first += mailer.batchMax) {
      call(dueCalls, cleared.slice(first, first + mailer.batchMax), isProbe);
    }
    return claimed === admitted && wanted === room;
  }

  /** Leases due mails. Answers those that may be sent: they are not here already, and their outcome is not known. */
  async function claim(limit: number): Promise<{ claimed: number; mails: readonly LeasedMail[] }> {
    const [now, startedAt] = [clock.now(), clock.elapsed()];
    const lease = newLease();
    const storeIsSound = () => startedAt - storeFailedAt >= leaseGraceMs;
    using watch = writer.watch();
    const endedBefore = storeIsSound() ? now : Math.min(now, storeAnsweredAt);
    const due = await store.mails.claim(now, limit, lease, { endedBefore });
    if (storeIsSound()) storeAnsweredAt = now;
    const strange = new Set(due.map(({ id }) => id));
    // After a freeze of this process it finds its own mails due.
    for (const one of ownMails()) if (strange.delete(one.mail.id)) one.leasedUntil = lease.until;
    const known = due.filter(
      (mail) =>
        strange.has(mail.id) && !writer.open.has(mail.id) && !isOutdated(mail, watch.recorded.get(mail.id), now),
    );
    writer.record(known.filter(isRefused).map((mail) => [mail, failedAt(now, mail)]));
    return { claimed: due.length, mails: known.filter((mail): mail is LeasedMail => !isRefused(mail)) };
  }

  /** Asks about the mails that may have been sent before. Answers those that may be sent now. */
  async function askAbout(mails: readonly LeasedMail[], isProbe: boolean): Promise<readonly LeasedMail[]> {
    const doubtful = mails.filter(mustBeAskedAbout);
    if (mailer.find === undefined || doubtful.length === 0) return mails;
    const findings = await mailer.find(doubtful);
    learn(findings, isProbe);
    const answered = findings.some(({ result }) => result !== "later");
    const moment = momentNow();
    const settled = new Map<LeasedMail, MailSettlement>();
    doubtful.forEach((mail, position) => {
      const settlement = afterQuestion(mail, findings[position] ?? noFinding, answered, moment);
      if (settlement !== null) settled.set(mail, settlement);
    });
    writer.record([...settled]);
    return mails.filter((mail) => !settled.has(mail));
  }

  function call(calls: Set<Promise<void>>, batch: readonly OwnMail[], isProbe: boolean): void {
    const isFresh = calls === freshCalls;
    const calling = sendStored(batch, isProbe, isFresh)
      // A mistake of ours. The mails are in doubt once their leases end.
      .catch(failed)
      .finally(() => {
        calls.delete(calling);
        if (isFresh) sendFresh();
      });
    calls.add(calling);
  }

  /** Sends a batch without those mails that the store has no more: the person may have been erased meanwhile. */
  async function sendStored(batch: readonly OwnMail[], isProbe: boolean, isFresh: boolean): Promise<void> {
    const old = batch.filter(({ leasedUntil }) => {
      const leftMs = leasedUntil - clock.now();
      // One with less left than a call may take is given back anyway.
      return leftMs < leaseMs - trustedMsMax && leftMs > leaseMsMin;
    });
    if (old.length === 0) return send(batch, isProbe, isFresh);
    asked.add(batch);
    let renewed: ReadonlySet<string>;
    try {
      renewed = await renew(old);
    } catch (error) {
      // The store could not be asked. The mails wait in it until it can.
      failed(error);
      return giveBack(batch);
    } finally {
      asked.delete(batch);
    }
    const gone = new Set(old.filter(({ mail }) => !renewed.has(mail.id)));
    for (const { caller } of gone) caller?.settle(false);
    const left = batch.filter((one) => !gone.has(one));
    if (isProbe && left.length === 0) breaker.returnUnusedProbe(clock.elapsed());
    return stopped ? giveBack(left) : send(left, isProbe, isFresh);
  }

  /** Writes mails, hands them over and records what became of them. Mails whose leases are about to end are given back. */
  async function send(batch: readonly OwnMail[], isProbe: boolean, isFresh: boolean): Promise<void> {
    const hasTime = ({ leasedUntil }: OwnMail) => leasedUntil - clock.now() > leaseMsMin;
    const tried: [OwnMail, TryOutcome][] = [];
    const late: OwnMail[] = [];
    const handed: OwnMail[] = [];
    const outgoing: OutgoingMail[] = [];
    for (const own of batch) {
      const written = hasTime(own) ? write(own.mail) : null;
      if (written === null) late.push(own);
      else if ("result" in written) tried.push([own, written]);
      else {
        handed.push(own);
        outgoing.push(written);
        inHand.set(written.id, own);
      }
    }
    if (handed.length > 0) reached("mail-in-hand");
    const sending = { mailer: { send: handOver }, attach, failed, hasTime: () => handed.every(hasTime) };
    const outcomes = await sendWithBisection(sending, outgoing);
    if (handed.length > 0) reached("mail-taken");
    learn(outcomes.filter(isAnswer), isProbe);
    const mayKeep = isFresh && !stopped && limiter.waitMs(clock.elapsed()) <= keepMsMax;
    const kept: OwnMail[] = [];
    handed.forEach((own, position) => {
      // The outbox has stopped, and recorded it as in doubt.
      if (!inHand.has(own.mail.id)) return;
      const outcome = outcomes[position] ?? null;
      if (outcome === null) late.push(own);
      else if (mayKeep && outcome.result === "later" && outcome.cause === "limit") kept.push(own);
      else tried.push([own, outcome]);
    });
    settle(tried);
    giveBack(late);
    fresh.unshift(...kept);
    // After the records: in between the mails would be known nowhere.
    for (const { mail } of handed) inHand.delete(mail.id);
  }

  /** Files may take longer than a lease. When it cannot be renewed, another process takes the mail for one of a dead process. */
  async function handOver(mails: readonly OutgoingMail[]): Promise<MailOutcome[]> {
    const giveUp = new AbortController();
    const isEnding = ({ id }: OutgoingMail) => (inHand.get(id)?.leasedUntil ?? 0) - clock.now() < givenUpMs;
    const watching = setInterval(() => mails.some(isEnding) && giveUp.abort(), pollMs).unref();
    try {
      return await mailer.send(mails, giveUp.signal);
    } finally {
      clearInterval(watching);
    }
  }

  function write(mail: LeasedMail): OutgoingMail | TryOutcome {
    const { id, kind, about } = mail;
    try {
      const reference = "submission" in about ? about.submission.reference : null;
      const written = compose(mail);
      const content = mail.has
        ? { ...written, to: written.to.filter((one) => !mail.has?.includes(emailKey(one))) }
        : written;
      if (content.to.length === 0) return toNobody;
      if (isInbound !== undefined && content.to.some(isInbound)) return toOurselves;
      const receiptOf = kind.endsWith("-receipt") && "submission" in about ? about.submission : null;
      return { id, kind, reference, requestId: requestIdOf(about), receiptOf, content };
    } catch (error) {
      // A mistake of ours about this one mail, whatever it is. The others go out.
      failed(error);
      return brokenBy(error);
    }
  }

  function learn(told: readonly ProviderAnswer[], isProbe: boolean): void {
    const now = clock.elapsed();
    if (told.some(({ result }) => result === "taken")) callers.resume();
    limiter.note(told, now);
    const change = breaker.note(told, now, isProbe);
    if (change === "closed") {
      limiter.restart(now);
      events.resumed();
    } else if (change !== null) events.paused(change.opened);
  }

  function momentNow() {
    const now = clock.now();
    const pausedUntil = breaker.isOpen ? Math.ceil(now + breaker.until - clock.elapsed()) : null;
    return { now, pausedUntil, doubt: mailer.doubt };
  }

  function settle(tried: readonly (readonly [OwnMail, TryOutcome])[]): void {
    const moment = momentNow();
    const settled = tried.map(([{ mail, caller }, outcome]) => {
      const settlement = afterTry(mail, outcome, moment);
      if (outcome.result === "taken" && outcome.missed !== undefined) {
        events.missed(mail.kind, { id: mail.id, error: outcome.missed });
      }
      caller?.settle(settlement.result === "sent");
      return [mail, settlement] as const;
    });
    writer.record(settled);
  }

  /** Gives mails back that were not handed over. They are due after `waitMs`; without it now, the oldest first. */
  function giveBack(batch: readonly OwnMail[], waitMs = 0): void {
    const at = clock.now();
    const reason = waitMs > 0 ? "the mail provider takes none at the moment" : "given back to the queue";
    writer.writeSoon(
      batch.map(({ mail: { id, createdAt, denials } }) => {
        const dueAt = waitMs > 0 ? Math.ceil(at + waitMs) : Math.min(createdAt, at);
        return { id, at, result: "later", dueAt, error: `not tried: ${reason}`, denials, tried: false };
      }),
    );
    for (const { caller } of batch) caller?.settle(false);
  }

  /** A provider may take minutes, and no other process may send its mails meanwhile. */
  async function renewLeases(): Promise<void> {
    const now = clock.now();
    const ending = ownMails().filter(({ leasedUntil }) => leasedUntil - now < renewedLeaseMsMin);
    if (ending.length > 0) await renew(ending);
  }

  /** Answers the ids of those that the store still has for this process. */
  async function renew(mails: readonly OwnMail[]): Promise<ReadonlySet<string>> {
    const lease = newLease();
    const ids = mails.map(({ mail }) => mail.id);
    const renewed = await store.mails.renew(ids, lease);
    for (const one of mails) if (renewed.has(one.mail.id)) one.leasedUntil = lease.until;
    return renewed;
  }

  function ownMails(): readonly OwnMail[] {
    return [...fresh, ...[...asked].flat(), ...inHand.values()];
  }

  function failed(error: unknown): void {
    if (error instanceof StorageUnavailable) storeFailedAt = clock.elapsed();
    events.failed(error);
  }

  return {
    /** Those who wait for their mails, which go out however the waiting ends. */
    callers,

    lease: newLease,

    /**
     * Sends mails that were just stored under {@link lease}. Resolves to whether the provider took the submitter's mail,
     * which is the first, within the deadline; false when the first is the team's. Never rejects: the submission is stored.
     */
    deliver(mails: readonly LeasedMail[]): Promise<boolean> {
      try {
        const waits = mails.length > 0 && !mails[0]!.kind.endsWith("-notice");
        const caller = waits ? callers.open() : null;
        const owned = mails.map((mail, position) => ownMail(mail, position === 0 ? caller : null));
        if (stopped) giveBack(owned);
        else take(owned);
        return caller?.promise ?? Promise.resolve(false);
      } catch (error) {
        // A mistake of ours. The mails are due once their leases end.
        failed(error);
        return Promise.resolve(false);
      }
    },

    /** Starts looking for due mails. Without `claiming` only outcomes that the store did not take are written again. */
    start({ claiming = true } = {}): void {
      polling = repeatedly(async (signal) => {
        try {
          if (claiming) while (await sendDue(signal));
          else await writer.write();
        } catch (error) {
          // What fails in one round is repaired by the next: the mails stay in the store.
          failed(error);
        }
        return pollMs;
      });
    },

    /** Whether no mail goes out but probes. */
    get isPaused(): boolean {
      return breaker.isOpen;
    },

    /** Claims no more due mails: the process is about to end. Mails that are stored from now on are still sent. */
    stopClaiming(): void {
      void polling?.[Symbol.asyncDispose]();
    },

    /**
     * Stops. Mails that were handed over are waited for; those that are still open then are recorded as in doubt. All others
     * are given back for the next process.
     * @param stopMs how long mails that were handed over are waited for, and a store that does not take their outcomes
     */
    async stop(stopMs: number): Promise<void> {
      const polled = polling?.[Symbol.asyncDispose]();
      stopped = true;
      clearTimeout(freshTimer);
      giveBack(fresh.splice(0));
      const endsAt = performance.now() + stopMs;
      const patience = new AbortController();
      const tooLate = sleep(stopMs, undefined, { signal: patience.signal }).catch(() => {});
      await Promise.race([Promise.all([polled, ...freshCalls, ...dueCalls]), tooLate]);
      patience.abort();
      // A renewal that is under way is not waited for: the store may hang.
      void renewing[Symbol.asyncDispose]();
      const outcome = { result: "later", error: "stopped before the provider answered", cause: "ambiguous" } as const;
      settle(Array.from(inHand.values(), (one) => [one, outcome]));
      inHand.clear();
      // The store may be back in a moment, and after this process nothing knows what became of these mails.
      for (;;) {
        await writer.close().catch(failed);
        const leftMs = endsAt - performance.now();
        if (writer.open.size === 0 || leftMs <= 0) break;
        await sleep(Math.min(pollMs, leftMs));
      }
    },
  };
}

const ownMail = (mail: LeasedMail, caller: WaitingCaller | null): OwnMail => ({
  mail,
  leasedUntil: mail.leasedUntil,
  caller,
});

const isRefused = (mail: LeasedMail | RefusedMail): mail is RefusedMail => "refused" in mail.about;

const failedAt = (at: number, { id, about: { refused: error }, denials }: RefusedMail) =>
  ({ id, at, result: "failed", error, denials }) as const;

/** Whether a settlement reached the store after the claim had read the mail. Sending it could send it twice. */
const isOutdated = (mail: LeasedMail | RefusedMail, settled: MailSettlement | undefined, now: number): boolean =>
  settled !== undefined && (settled.result !== "later" || settled.dueAt > now || settled.denials !== mail.denials);

const isAnswer = (outcome: TryOutcome | null): outcome is MailOutcome =>
  outcome !== null && outcome.result !== "broken" && outcome.result !== "unready";

const toOurselves = { result: "refused", error: "to an address of INBOUND_ADDRESS", inactiveRecipient: false } as const;

/** It waited for an address of the team that is not in the settings any more. */
const toNobody = { result: "refused", error: "all of its addresses have it", inactiveRecipient: false } as const;

const noFinding = { result: "later", error: "mailer: no finding", cause: "provider" } as const;
