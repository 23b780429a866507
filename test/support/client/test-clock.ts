// A clock for tests: each wait ends at once and moves the clock by its length.
import type { Clock } from "../../../client/src/sdk/retry.ts";

export interface TestClock extends Clock {
  readonly waits: number[];
}

interface ClockOptions {
  /** What chance comes to; by default the longest waits. */
  readonly random?: number;
  /** What happens during a wait, which it makes as long as it takes. */
  readonly during?: (waits: number) => void | Promise<void>;
}

export function testClock({ random = 1, during }: ClockOptions = {}): TestClock {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    random: () => random,
    wait: async (ms, signal) => {
      waits.push(ms);
      now += ms;
      await during?.(waits.length);
      signal?.throwIfAborted();
    },
  };
}
