// Counts failed sign-ins, so that passwords cannot be tried one after the other. No account is locked: the wait ends by
// itself, and a device that has signed in before is counted apart from strangers. Each process counts alone.
import { createHmac, randomBytes } from "node:crypto";
import type { Stopwatch } from "../clock.ts";
import { Fault } from "../fault.ts";

const minuteMs = 60 * 1000;
/** Some megabytes. The oldest are forgotten first. */
const entriesMax = 20_000;

/** Failures of one kind in fixed windows. */
class Failures {
  readonly #counts = new Map<string, { count: number; readonly until: number }>();
  readonly #max: number;
  readonly #ms: number;

  constructor(max: number, ms: number) {
    this.#max = max;
    this.#ms = ms;
  }

  /** How long this key has to wait, in milliseconds; 0: not at all. */
  waitMs(key: string, now: number): number {
    const entry = this.#counts.get(key);
    return entry !== undefined && entry.count >= this.#max ? Math.max(0, entry.until - now) : 0;
  }

  change(key: string, by: 1 | -1, now: number): void {
    const entry = this.#counts.get(key);
    if (entry !== undefined && entry.until > now) entry.count += by;
    else if (by > 0) {
      this.#counts.delete(key);
      this.#counts.set(key, { count: 1, until: now + this.#ms });
      const [oldest = key] = this.#counts.keys();
      if (this.#counts.size > entriesMax) this.#counts.delete(oldest);
    }
  }
}

interface Trying {
  readonly client: string;
  /** The e-mail address; null: none was typed. */
  readonly typed: string | null;
  /** The name of a device that has signed in with this address before; null: the device is not known. */
  readonly device: string | null;
}

/** Counts by client address (IPv6 by /64) and by the address that was typed; for a known device by the device. */
export class SignInThrottle {
  readonly #clock: Stopwatch;
  // Addresses are not kept as they were typed.
  readonly #key = randomBytes(32);
  readonly #ofClient = [new Failures(10, minuteMs), new Failures(30, 15 * minuteMs)];
  readonly #ofAddress = new Failures(10, 15 * minuteMs);
  readonly #ofDevice = new Failures(10, 15 * minuteMs);

  constructor(clock: Stopwatch) {
    this.#clock = clock;
  }

  /**
   * Runs a try. It counts as failed until it has succeeded, so that tries at once are not counted too late.
   *
   * @param attempt answers null when it fails
   * @throws Fault `signInThrottled`, or what `attempt` throws; that is not counted
   */
  async attempt<Success>(trying: Trying, attempt: () => Promise<Success | null>): Promise<Success | null> {
    const counted = this.#countedBy(trying);
    const now = this.#clock.elapsed();
    const waitMs = Math.max(...counted.map(({ failures, key }) => failures.waitMs(key, now)));
    if (waitMs > 0) throw new Fault("signInThrottled", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    for (const { failures, key } of counted) failures.change(key, 1, now);
    let failed = false;
    try {
      const success = await attempt();
      failed = success === null;
      return success;
    } finally {
      if (!failed) for (const { failures, key } of counted) failures.change(key, -1, now);
    }
  }

  #countedBy({ client, typed, device }: Trying): readonly { readonly failures: Failures; readonly key: string }[] {
    if (device !== null) return [{ failures: this.#ofDevice, key: device }];
    const counted = this.#ofClient.map((failures) => ({ failures, key: client }));
    if (typed === null) return counted;
    const key = createHmac("sha256", this.#key).update(typed.normalize("NFKC").trim().toLowerCase()).digest("base64");
    return [...counted, { failures: this.#ofAddress, key }];
  }
}
