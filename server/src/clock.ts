// Time, handed in so that tests can move it.

/** Wall time, for what is stored and compared across processes. It may be set. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Time that passes in this process and is never set: for pauses and limits that live in its memory alone. */
export interface Stopwatch {
  /** Milliseconds since some instant. */
  elapsed(): number;
}

export const systemClock: Clock & Stopwatch = { now: () => Date.now(), elapsed: () => performance.now() };
