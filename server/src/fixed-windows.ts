// Counts by key in windows of equal length: calls of a client, wrong passwords, failed sign-ins, failures to log. Each process
// counts alone.
import type { Stopwatch } from "./clock.ts";

/** Some megabytes. The oldest windows are forgotten first. */
const windowsMax = 50_000;

interface Counted {
  readonly count: number;
  readonly msLeft: number;
}

export class FixedWindows {
  readonly #ms: number;
  readonly #clock: Stopwatch;
  /** In the order in which they end. */
  readonly #windows = new Map<string, { count: number; readonly endsAt: number }>();

  constructor(ms: number, clock: Stopwatch) {
    this.#ms = ms;
    this.#clock = clock;
  }

  /** What was counted in the window that has not ended yet. */
  of(key: string): Counted {
    const now = this.#now();
    const window = this.#windows.get(key);
    return window === undefined || window.endsAt <= now
      ? { count: 0, msLeft: 0 }
      : { count: window.count, msLeft: window.endsAt - now };
  }

  /** Adds to the count of a key. The first one begins a window, which no other prolongs. */
  add(key: string, count = 1): Counted {
    const now = this.#now();
    let window = this.#windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      this.#windows.delete(key);
      window = { count: 0, endsAt: now + this.#ms };
      this.#windows.set(key, window);
      this.#forget(now);
    }
    window.count += count;
    return { count: window.count, msLeft: window.endsAt - now };
  }

  /** Takes one off again, in the window that has not ended yet. */
  takeBack(key: string): void {
    if (this.of(key).count > 0) this.add(key, -1);
  }

  /** In whole milliseconds: with fractions, `now + ms - now` may be more than `ms`, and callers would wait a second longer. */
  #now(): number {
    return Math.floor(this.#clock.elapsed());
  }

  #forget(now: number): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size <= windowsMax) return;
      this.#windows.delete(key);
    }
  }
}
