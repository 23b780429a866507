// Time, handed in so that tests can move it, and days (UTC).

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

export const dayMs = 24 * 60 * 60 * 1000;

export const startOfDay = (at: number): number => Math.floor(at / dayMs) * dayMs;

/** `2026-11-21` */
export const shownDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
