// A clock that runs by itself and can be put forward, so that a test sees the next three days without waiting for them.
import type { Clock, Stopwatch } from "../../server/src/clock.ts";

export class MovableClock implements Clock, Stopwatch {
  #aheadMs = 0;
  #setMs = 0;
  #heldAt: number | null = null;

  now(): number {
    return this.#passed() + this.#setMs;
  }

  /** Between two milliseconds, as `performance.now()` is: what is stored must be whole. */
  elapsed(): number {
    return this.#passed() + 0.25;
  }

  /** Stops the clock. From now on only `advance` and `set` move it. */
  hold(): void {
    this.#heldAt ??= Date.now();
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Sets the wall clock, as an operator does: no time passes. */
  set(ms: number): void {
    this.#setMs += ms;
  }

  #passed(): number {
    return (this.#heldAt ?? Date.now()) + this.#aheadMs;
  }
}
