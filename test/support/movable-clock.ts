// A clock that runs by itself and can be put forward, so that a test sees the next three days without waiting for them.
import type { Clock } from "../../server/src/clock.ts";

export class MovableClock implements Clock {
  #aheadMs = 0;
  #heldAt: number | null = null;

  now(): number {
    return (this.#heldAt ?? Date.now()) + this.#aheadMs;
  }

  /** Stops the clock. From now on only `advance` moves it. */
  hold(): void {
    this.#heldAt ??= Date.now();
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}
