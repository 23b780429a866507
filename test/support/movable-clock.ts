// A clock that runs by itself and can be put forward, so that a test sees the next three days without waiting for them.
import type { Clock } from "../../server/src/clock.ts";

export class MovableClock implements Clock {
  #aheadMs = 0;

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}
