// Waits for a lock that another process holds, without blocking the event loop.
import { setTimeout as pause } from "node:timers/promises";
import { asUnavailable, isBusy } from "./errors.ts";

/** SQLite's own wait for a lock. It blocks the event loop: enough for the ordinary commit of another process, and not felt. */
export const engineWaitMs = 5;

/** Pause between two tries. */
export const busyPauseMs = 10;

/** How long work waits for a lock before it is given up. The caller still waits for the answer then. */
export const busyWaitMs = 1_000;

/**
 * Runs work again while another process holds a lock. It must change nothing when it throws.
 *
 * @throws StorageUnavailable when the database cannot be used, or stayed locked for `waitMs`
 */
export async function retryWhileBusy<T>(work: () => T, waitMs: number = busyWaitMs): Promise<T> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw asUnavailable(error) ?? error;
    }
    await pause(busyPauseMs);
  }
}
