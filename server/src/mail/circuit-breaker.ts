// Stops the sender when it is not the mails that are refused but the sender: a wrong token, a provider that is gone or
// asks for time. The mails then keep their tries, and only a probe goes out now and then.
import type { ProviderAnswer } from "./mailer.ts";

/** Back-off between probes, doubled each time. New mails that come before the probe that is taken wait with the backlog. */
const backOffMsMin = 5_000;
const backOffMsMax = 30_000;
/** A provider that asks for hours is asked again sooner; the mails that it turned away wait as long as it wished. */
const askedMsMax = 2 * 60_000;
/** One account-level refusal may concern a single mail. Two in a row open the circuit. */
const refusedMailsMax = 2;
/** After a failed call mails are tried one by one; a provider that has failed this often in a row is down. */
const failedCallsMax = 10;
/** A probe has come to its end by then, unless it has large files, or its process was stopped in the middle. */
const probeMsMax = 30_000;

/** All times are by a stopwatch. */
export class CircuitBreaker {
  /** When the next probe may go; null while the sender works. */
  #until: number | null = null;
  #opened = 0;
  #refusedMails = 0;
  #failedCalls = 0;

  get isOpen(): boolean {
    return this.#until !== null;
  }

  get until(): number {
    return this.#until ?? 0;
  }

  /** Due mails are then tried one at a time. */
  get lastCallFailed(): boolean {
    return this.#failedCalls > 0;
  }

  /** How many of `wanted` mails may be sent now: all, none, or one as a probe. There is one probe at a time. */
  admit(wanted: number, now: number): number {
    if (this.#until === null) return wanted;
    if (now < this.#until || wanted === 0) return 0;
    this.#until = now + probeMsMax;
    return 1;
  }

  /** To be called when there was no mail that could go as the probe: the next mail may. */
  returnUnusedProbe(now: number): void {
    if (this.#until !== null) this.#until = now;
  }

  /** Learns from what a call brought. Answers why the circuit opens, or that the sender works again. */
  note(answers: readonly ProviderAnswer[], now: number, isProbe: boolean) {
    const failures = answers.filter((answer) => answer.result === "later");
    if (answers.length === 0) return null;
    // Strangers choose the recipients: what a provider says of one must not stop the mails to all others.
    const works = failures.length < answers.length || failures.some(({ cause }) => cause === "recipient");
    if (works) return this.#end();
    // A provider that says we send too fast works: `RateLimiter` waits for it.
    const waitMs = Math.max(...failures.map(({ cause, retryAfterMs = 0 }) => (cause === "limit" ? 0 : retryAfterMs)));
    if (this.#until !== null) {
      // Calls that were under way when the circuit opened say nothing new.
      if (isProbe) this.#extend(waitMs, now);
      return null;
    }
    this.#failedCalls += 1;
    if (failures.every(({ cause }) => cause === "configuration")) this.#refusedMails += failures.length;
    else this.#refusedMails = 0;
    if (waitMs === 0 && this.#refusedMails < refusedMailsMax && this.#failedCalls < failedCallsMax) return null;
    this.#extend(waitMs, now);
    return { opened: failures[0]!.error };
  }

  #extend(waitMs: number, now: number): void {
    const backOffMs = Math.min(backOffMsMin * 2 ** Math.min(this.#opened, 10), backOffMsMax);
    this.#until = now + (waitMs > 0 ? Math.min(waitMs, askedMsMax) : backOffMs);
    this.#opened += 1;
  }

  #end(): "closed" | null {
    const wasOpen = this.isOpen;
    this.#until = null;
    this.#opened = this.#refusedMails = this.#failedCalls = 0;
    return wasOpen ? "closed" : null;
  }
}
