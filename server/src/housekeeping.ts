// Tidies up at the start and every hour: staging files and resumes that crashes left behind, idempotency keys that have
// run out, spent challenges that have expired, addresses of clients whose windows are over. Nothing depends on a round of
// it; what one misses the next one finds.
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import type { Log } from "./observe/log.ts";
import type { Vault } from "./resumes/vault.ts";
import type { CallCounts } from "./storage/call-counts.ts";
import { idempotencyMs, type Store } from "./storage/store.ts";

const intervalMs = 60 * 60 * 1000;
const closeMsMax = 500;
// Longer than any upload and commit can take.
const orphanedAfterMs = 60 * 60 * 1000;
// A process whose clock is behind still takes solutions of a challenge that has expired here.
const challengesKeptMs = 60 * 60 * 1000;
// As above: by another clock the window may not be over.
const countsKeptMs = 60 * 1000;

interface HousekeepingOptions {
  readonly vault: Pick<Vault, "sweep">;
  readonly store: Pick<Store, "knownResumeKeys" | "forgetIdempotency" | "forgetChallenges">;
  /** Null: only this process counts, in its memory. */
  readonly callCounts: Pick<CallCounts, "forget"> | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** Begins to tidy up; disposing waits for the round under way. */
export function startHousekeeping(options: HousekeepingOptions): AsyncDisposable {
  const stopping = new AbortController();
  const keeping = (async () => {
    while (!stopping.signal.aborted) {
      for (const tidyUp of chores(options)) {
        // One that fails, because a bucket is away, say, does not keep the others from being done.
        await tidyUp().catch((error: unknown) => options.log.error({ err: error }, "housekeeping failed"));
        if (stopping.signal.aborted) return;
      }
      await sleep(intervalMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      // A sweep may take long, and nothing depends on it: what it has not done the next one does.
      await Promise.race([keeping, sleep(closeMsMax, undefined, { ref: false })]);
    },
  };
}

const chores = ({ vault, store, callCounts, clock, log }: HousekeepingOptions): (() => Promise<unknown>)[] => [
  () => store.forgetIdempotency(clock.now() - idempotencyMs),
  () => store.forgetChallenges(clock.now() - challengesKeptMs),
  async () => callCounts?.forget(clock.now() - countsKeptMs),
  () => sweep(vault, store, log),
];

async function sweep(
  vault: HousekeepingOptions["vault"],
  store: HousekeepingOptions["store"],
  log: Log,
): Promise<void> {
  const { staged, orphaned, withheld } = await vault.sweep((keys) => store.knownResumeKeys(keys), orphanedAfterMs);
  if (staged + orphaned > 0) log.info({ count: staged + orphaned }, "removed files that no application knows");
  if (withheld > 0) {
    log.error(
      { count: withheld },
      "most resumes are unknown to the database and were left alone: is it the right one?",
    );
  }
}
