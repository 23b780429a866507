// Takes a batch of leased mails from the question whether they were sent before to the record of what became of them.
// It knows nothing of when mails are due, or of who waits for an answer.
import type { Clock } from "../clock.ts";
import { reached } from "../failpoint.ts";
import type { LeasedMail, MailSettlement, NewMail } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";
import { mailerMsMax, type Mailer, type MailFinding, type MailOutcome } from "./mailer.ts";
import { sendApart } from "./send-apart.ts";
import type { SenderPause } from "./pause.ts";
import { afterQuestion, afterTry, isInDoubt, type TryOutcome } from "./settlement.ts";
import { SettlementBook } from "./settlement-book.ts";

/** What the outbox tells the log and the metrics; ids and words of ours only. */
export interface OutboxEvents {
  settled(kind: NewMail["kind"], result: MailSettlement["result"], detail: { id: string; error?: string }): void;
  /** No mail is sent from now on but a probe now and then, because it is the sender that is refused. */
  paused(reason: string): void;
  resumed(): void;
  /** Something failed that a later round repairs. */
  stumbled(error: unknown): void;
}

interface DeliveryOptions {
  readonly store: Pick<Store, "settleMails">;
  readonly owner: string;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly events: OutboxEvents;
  readonly pause: SenderPause;
}

/** A mail, and who wants to know whether the provider took it. */
export interface Waiting {
  readonly mail: LeasedMail;
  readonly leasedUntil: number;
  readonly answer: (taken: boolean) => void;
}

// A mail is not handed to the mailer when its lease could end during the try.
const tryMsMax = mailerMsMax + 2_000;

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #book: SettlementBook;
  // Handed to the mailer. A process that was frozen in the middle of a try finds these mails due when it wakes.
  readonly #inHand = new Set<string>();

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#book = new SettlementBook(options.store, options.owner);
  }

  /** Whether a mail may have been sent here without the store's knowing. */
  holds(id: string): boolean {
    return this.#inHand.has(id) || this.#book.holds(id);
  }

  get holdsAny(): boolean {
    return this.#inHand.size > 0 || this.#book.isOpen;
  }

  /** Writes down what the store did not take before. */
  writeOpen(): Promise<void> {
    return this.#book.write();
  }

  /**
   * Asks about the mails that may have been sent before. Answers those that may be sent now: the others were found, or
   * are to be asked about again.
   */
  async clearDoubts(mails: readonly LeasedMail[], isProbe: boolean): Promise<readonly LeasedMail[]> {
    const { mailer, clock } = this.#options;
    const doubtful = mails.filter(isInDoubt);
    if (mailer.find === undefined || doubtful.length === 0) return mails;
    const findings = await mailer.find(doubtful);
    const now = clock.now();
    this.#learn(findings, now, isProbe);
    const answered = findings.some(({ result }) => result !== "later");
    const moment = this.#moment(now);
    const settled = new Map<LeasedMail, MailSettlement>();
    doubtful.forEach((mail, position) => {
      const settlement = afterQuestion(mail, findings[position] ?? noFinding, answered, moment);
      if (settlement !== null) settled.set(mail, settlement);
    });
    await this.#record([...settled]);
    return mails.filter((mail) => !settled.has(mail));
  }

  /** Sends mails whose leases last long enough; the others are left to whoever claims them once the lease is over. */
  async send(batch: readonly Waiting[], isProbe: boolean): Promise<void> {
    const { mailer, clock, events } = this.#options;
    const hasTime = (waiting: Waiting) => waiting.leasedUntil - clock.now() > tryMsMax;
    const live = batch.filter(hasTime);
    for (const { mail } of live) this.#inHand.add(mail.id);
    if (live.length > 0) reached("mail-in-hand");
    const outcomes = await sendApart(
      { mailer, stumbled: events.stumbled, hasTime: () => live.every(hasTime) },
      live.map(({ mail }) => mail),
    );
    if (live.length > 0) reached("mail-taken");
    const now = clock.now();
    this.#learn(outcomes.filter(isAnswer), now, isProbe);
    const moment = this.#moment(now);
    const settled = live.flatMap(({ mail }, position): [LeasedMail, MailSettlement][] => {
      const outcome = outcomes[position];
      return outcome ? [[mail, afterTry(mail, outcome, moment)]] : [];
    });
    const taken = new Set(settled.filter(([, { result }]) => result === "sent").map(([mail]) => mail));
    for (const { mail, answer } of batch) answer(taken.has(mail));
    // First into the book, then out of the hand: between the two somebody could find the mail in neither.
    const recorded = this.#record(settled);
    for (const { mail } of live) this.#inHand.delete(mail.id);
    await recorded;
  }

  /** Gives mails back that were never handed over, until the pause is over: whoever takes them then need not ask about them. */
  putOff(batch: readonly Waiting[]): Promise<void> {
    const { clock, events, pause } = this.#options;
    const now = clock.now();
    const dueAt = Math.max(pause.until, now);
    const settlements = batch.map(({ mail: { id, denials } }): MailSettlement => {
      return { id, at: now, result: "later", dueAt, error: "not tried: the sender pauses", denials, tried: false };
    });
    const recorded = this.#book.write(settlements).catch(events.stumbled);
    for (const { answer } of batch) answer(false);
    return recorded;
  }

  #moment(now: number) {
    const { pause } = this.#options;
    return { now, pausedUntil: pause.isOn ? pause.until : null };
  }

  #learn(answers: readonly (MailOutcome | MailFinding)[], now: number, isProbe: boolean): void {
    const { pause, events } = this.#options;
    const change = pause.note(answers, now, isProbe);
    if (change === "ended") events.resumed();
    else if (change !== null) events.paused(change.began);
  }

  #record(settled: readonly (readonly [LeasedMail, MailSettlement])[]): Promise<void> {
    const { events } = this.#options;
    for (const [{ id, kind }, settlement] of settled) {
      const error = settlement.result === "sent" ? {} : { error: settlement.error };
      events.settled(kind, settlement.result, { id, ...error });
    }
    return this.#book.write(settled.map(([, settlement]) => settlement)).catch(events.stumbled);
  }
}

const isAnswer = (outcome: TryOutcome | null): outcome is MailOutcome =>
  outcome !== null && outcome.result !== "broken";

const noFinding = { result: "later", error: "mailer: no finding", cause: "provider" } as const;
