// Keeps to the limit of a provider that says we send too fast (HTTP 429). All mails wait for as long as it asks. Then
// mails that are due go out at a pace that leaves room for new ones: it halves when the provider complains, else grows.
import type { ProviderAnswer } from "./mailer.ts";

/** Where the pace begins, in mails a second; after an outage too, whose backlog could meet any limit. */
const startPerSecond = 10;
/** A provider that never complained is tried with twice the pace after a second: 10,000 mails take ten seconds. */
const quickGrowth = 2;
/** Once its limit is known, the pace grows by a twentieth a second and meets it again after a quarter of a minute. */
const slowGrowth = 1.05;
const perSecondMin = 0.2;
/** Faster than any provider's limit: the pace is no longer counted. */
const perSecondMax = 10_000;
/** How long all mails wait when the provider names no time; doubled each time. */
const waitMsMin = 1_000;
/** A provider that asks for hours is asked again sooner; the mails that it turned away wait as long as it wished. */
const waitMsMax = 2 * 60_000;

/** All times are by a stopwatch. */
export class RateLimiter {
  #perSecond = Infinity;
  #growth = quickGrowth;
  /** Due mails that may go now, and when they were counted. */
  #allowance = 0;
  #countedAt = 0;
  #waitsUntil = 0;
  #waits = 0;

  /** For how many more milliseconds no mail is sent. */
  waitMs(now: number): number {
    return Math.max(this.#waitsUntil - now, 0);
  }

  /** How many of `wanted` mails that are due may be sent now. */
  admit(wanted: number, now: number): number {
    if (this.waitMs(now) > 0) return 0;
    if (this.#perSecond === Infinity) return wanted;
    this.#count(now);
    return Math.min(wanted, Math.floor(this.#allowance));
  }

  /** Mails that were due are sent now. */
  spend(mails: number): void {
    this.#allowance -= mails;
  }

  /** The provider works again after a pause. */
  restart(now: number): void {
    this.#begin(now, startPerSecond, quickGrowth);
  }

  note(answers: readonly ProviderAnswer[], now: number): void {
    const limited = answers.filter((answer) => answer.result === "later").filter(({ cause }) => cause === "limit");
    if (limited.length < answers.length) this.#waits = 0;
    // Calls that were under way when the wait began say nothing new.
    if (limited.length === 0 || this.waitMs(now) > 0) return;
    if (this.#perSecond === Infinity) this.#begin(now, startPerSecond, quickGrowth);
    else this.#begin(now, Math.max(this.#perSecond / 2, perSecondMin), slowGrowth);
    const backOffMs = waitMsMin * 2 ** Math.min(this.#waits, 10);
    const askedMs = Math.max(...limited.map(({ retryAfterMs = 0 }) => retryAfterMs));
    this.#waitsUntil = now + Math.min(askedMs > 0 ? askedMs : backOffMs, waitMsMax);
    this.#waits += 1;
  }

  #begin(now: number, perSecond: number, growth: number): void {
    this.#perSecond = perSecond;
    this.#growth = growth;
    this.#allowance = 1;
    this.#countedAt = now;
  }

  #count(now: number): void {
    const seconds = Math.max(now - Math.max(this.#countedAt, this.#waitsUntil), 0) / 1000;
    this.#countedAt = now;
    this.#perSecond *= this.#growth ** seconds;
    if (this.#perSecond > perSecondMax) this.#perSecond = Infinity;
    // At most a second's worth is saved up.
    const most = Math.max(this.#perSecond, 1);
    this.#allowance = Math.min(this.#allowance + seconds * this.#perSecond, most);
  }
}
