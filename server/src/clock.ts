// Time, handed in so that tests can move it. Wall time for what is stored and compared across processes; durations
// within one process come from `performance.now()` where they are measured.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
