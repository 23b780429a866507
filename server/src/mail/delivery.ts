// Takes a batch of leased mails from the question whether they were sent before to the record of what became of them.
// It knows nothing of when mails are due.
import { reached } from "../failpoint.ts";
import type { LeasedMail, MailKind, MailSettlement, MailSubject } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";
import type { Answer } from "./answers.ts";
import {
  handOverMsMax,
  type Mailer,
  type MailContent,
  type MailFinding,
  type MailOutcome,
  type OutgoingMail,
} from "./mailer.ts";
import type { Pace } from "./pace.ts";
import type { SenderPause } from "./pause.ts";
import { brokenBy, sendApart } from "./send-apart.ts";
import { afterQuestion, afterTry, mustBeAskedAbout, type TryOutcome } from "./settlement.ts";
import type { SettlementBook } from "./settlement-book.ts";

/** What the outbox tells the log and the metrics; ids and words of ours only. */
export interface OutboxEvents {
  settled(
    kind: MailKind,
    result: MailSettlement["result"],
    detail: { readonly id: string; readonly requestId: string | null; readonly error?: string },
  ): void;
  /** A mail was taken, but not for all of its recipients. */
  missed(kind: MailKind, detail: { readonly id: string; readonly error: string }): void;
  /** From now on no mail is sent but a probe now and then, because it is the sender that is refused. */
  paused(reason: string): void;
  resumed(): void;
  /** Something failed that a later round repairs. */
  failed(error: unknown): void;
}

interface DeliveryOptions {
  readonly store: Pick<Store, "clock">;
  readonly book: SettlementBook;
  readonly mailer: Mailer;
  readonly compose: (mail: LeasedMail) => MailContent;
  readonly events: OutboxEvents;
  readonly pause: SenderPause;
  readonly pace: Pace;
}

/** A mail in the memory of this process, which holds its lease. */
export interface HeldMail {
  readonly mail: LeasedMail;
  /** By the store's clock. */
  leasedUntil: number;
  /** The answer that waits for it; null when none does. */
  readonly answer: Answer | null;
}

/** A mail with less of its lease left is not begun: the lease could end before it is renewed. */
const leaseMsMin = handOverMsMax + 2_000;

/** A new mail that met the provider's limit is kept in memory for at most this long. */
export const keepMsMax = 15_000;

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #inHand = new Map<string, HeldMail>();

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** The mails that the mailer has now. */
  get inHand(): Iterable<HeldMail> {
    return this.#inHand.values();
  }

  /**
   * Asks about the mails that may have been sent before. Answers those that may be sent now: the others were found, or
   * are to be asked about again.
   */
  async clearDoubts(mails: readonly LeasedMail[], isProbe: boolean): Promise<readonly LeasedMail[]> {
    const { mailer, store } = this.#options;
    const doubtful = mails.filter(mustBeAskedAbout);
    if (mailer.find === undefined || doubtful.length === 0) return mails;
    const findings = await mailer.find(doubtful);
    const now = store.clock.now();
    this.#learn(findings, now, isProbe);
    const answered = findings.some(({ result }) => result !== "later");
    const moment = this.#moment(now);
    const settled = new Map<LeasedMail, MailSettlement>();
    doubtful.forEach((mail, position) => {
      const settlement = afterQuestion(mail, findings[position] ?? noFinding, answered, moment);
      if (settlement !== null) settled.set(mail, settlement);
    });
    this.#record([...settled]);
    return mails.filter((mail) => !settled.has(mail));
  }

  /**
   * Writes mails, hands them over and records what became of them. Mails whose leases are about to end are given back.
   *
   * @param keeps whether mails that met the provider's limit may be kept
   * @returns those that are kept: they were not handed over and have no settlement
   */
  async send(batch: readonly HeldMail[], isProbe: boolean, keeps: boolean): Promise<readonly HeldMail[]> {
    const { mailer, store, events, pace } = this.#options;
    const hasTime = ({ leasedUntil }: HeldMail) => leasedUntil - store.clock.now() > leaseMsMin;
    const tried: [HeldMail, TryOutcome][] = [];
    const late: HeldMail[] = [];
    const handed: HeldMail[] = [];
    const outgoing: OutgoingMail[] = [];
    for (const held of batch) {
      const written = hasTime(held) ? this.#write(held.mail) : null;
      if (written === null) late.push(held);
      else if ("result" in written) tried.push([held, written]);
      else {
        handed.push(held);
        outgoing.push(written);
        this.#inHand.set(written.id, held);
      }
    }
    if (handed.length > 0) reached("mail-in-hand");
    const outcomes = await sendApart({ mailer, failed: events.failed, hasTime: () => handed.every(hasTime) }, outgoing);
    if (handed.length > 0) reached("mail-taken");
    const now = store.clock.now();
    this.#learn(outcomes.filter(isAnswer), now, isProbe);
    const mayKeep = keeps && pace.heldUntil - now <= keepMsMax;
    const kept: HeldMail[] = [];
    handed.forEach((held, position) => {
      // It was abandoned meanwhile.
      if (!this.#inHand.has(held.mail.id)) return;
      const outcome = outcomes[position] ?? null;
      if (outcome === null) late.push(held);
      else if (mayKeep && outcome.result === "later" && outcome.cause === "limit") kept.push(held);
      else tried.push([held, outcome]);
    });
    this.#settle(tried, now);
    this.giveBack(late);
    // After the records: in between the mails would be known nowhere.
    for (const { mail } of handed) this.#inHand.delete(mail.id);
    return kept;
  }

  /**
   * Gives mails back that were not handed over, no more in doubt than before.
   *
   * @param notBefore when they are due. Without it they are due now, the oldest first.
   */
  giveBack(batch: readonly HeldMail[], notBefore = 0): void {
    const at = this.#options.store.clock.now();
    const error = "not tried: the sender waits";
    this.#writeDown(
      batch.map(({ mail: { id, createdAt, denials } }): MailSettlement => {
        const dueAt = notBefore > at ? notBefore : Math.min(createdAt, at);
        return { id, at, result: "later", dueAt, error, denials, tried: false };
      }),
    );
    for (const { answer } of batch) answer?.settle(false);
  }

  /** Waits no longer for the mails that the mailer has. They may have been sent. */
  abandon(): void {
    const outcome = { result: "later", error: "stopped before the provider answered", cause: "ambiguous" } as const;
    const open = Array.from(this.#inHand.values(), (held): [HeldMail, TryOutcome] => [held, outcome]);
    this.#settle(open, this.#options.store.clock.now());
    this.#inHand.clear();
  }

  #write(mail: LeasedMail): OutgoingMail | TryOutcome {
    const { compose, events } = this.#options;
    const { id, kind, about } = mail;
    try {
      const reference = "submission" in about ? about.submission.reference : null;
      return { id, kind, reference, requestId: requestIdOf(about), content: compose(mail) };
    } catch (error) {
      // A mistake of ours about this one mail, whatever it is. The others go out.
      events.failed(error);
      return brokenBy(error);
    }
  }

  #moment(now: number) {
    const { pause, mailer } = this.#options;
    return { now, pausedUntil: pause.isOn ? pause.until : null, doubt: mailer.doubt };
  }

  #learn(answers: readonly (MailOutcome | MailFinding)[], now: number, isProbe: boolean): void {
    const { pause, pace, events } = this.#options;
    pace.note(answers, now);
    const change = pause.note(answers, now, isProbe);
    if (change === "ended") {
      pace.restart(now);
      events.resumed();
    } else if (change !== null) events.paused(change.began);
  }

  #settle(tried: readonly (readonly [HeldMail, TryOutcome])[], now: number): void {
    const { events } = this.#options;
    const moment = this.#moment(now);
    const settled = tried.map(([{ mail, answer }, outcome]) => {
      const settlement = afterTry(mail, outcome, moment);
      if (outcome.result === "taken" && outcome.missed !== undefined) {
        events.missed(mail.kind, { id: mail.id, error: outcome.missed });
      }
      answer?.settle(settlement.result === "sent");
      return [mail, settlement] as const;
    });
    this.#record(settled);
  }

  #record(settled: readonly (readonly [LeasedMail, MailSettlement])[]): void {
    const { events } = this.#options;
    for (const [{ id, kind, about }, settlement] of settled) {
      const ids = { id, requestId: requestIdOf(about) };
      const detail = settlement.result === "sent" ? ids : { ...ids, error: settlement.error };
      events.settled(kind, settlement.result, detail);
    }
    this.#writeDown(settled.map(([, settlement]) => settlement));
  }

  // Nothing waits for the commit: the next calls may begin, and the store writes settlements with what comes next.
  #writeDown(settlements: readonly MailSettlement[]): void {
    if (settlements.length === 0) return;
    this.#options.book.write(settlements).catch(this.#options.events.failed);
  }
}

const isAnswer = (outcome: TryOutcome | null): outcome is MailOutcome =>
  outcome !== null && outcome.result !== "broken";

/** Null: no request caused the mail. */
function requestIdOf(about: MailSubject): string | null {
  if ("submission" in about) return about.submission.requestId;
  return "welcome" in about ? about.welcome.requestId : null;
}

const noFinding = { result: "later", error: "mailer: no finding", cause: "provider" } as const;
