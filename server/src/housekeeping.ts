// Tidies up at the start and every hour: mails, keys and challenges that have had their time, call counts of past windows,
// files that crashes left behind. What one round misses the next one does.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import type { Log } from "./observe/log.ts";
import type { Vault } from "./resumes/vault.ts";
import type { CallCounts } from "./storage/call-counts.ts";
import type { Store } from "./storage/store.ts";

const intervalMs = 60 * 60 * 1000;
const closeMsMax = 500;
/** Longer than any upload and commit can take. */
const leftoverAfterMs = 60 * 60 * 1000;
/** By the clock of another process the window may not be over. */
const countsKeptMs = 60 * 1000;

interface HousekeepingOptions {
  readonly vault: Pick<Vault, "sweep">;
  readonly store: Pick<Store, "identity" | "knownResumeKeys" | "forgetExpired">;
  /** Null: only this process counts, in its memory. */
  readonly callCounts: Pick<CallCounts, "forget"> | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** Begins to tidy up. Disposing waits a moment for the round under way. */
export function startHousekeeping(options: HousekeepingOptions): AsyncDisposable {
  const stopping = new AbortController();
  const keeping = keepHouse(options, stopping.signal);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.race([keeping, sleep(closeMsMax, undefined, { ref: false })]);
    },
  };
}

async function keepHouse(options: HousekeepingOptions, signal: AbortSignal): Promise<void> {
  const { callCounts, clock, log } = options;
  const chores = [
    () => forgetExpired(options, signal),
    async () => callCounts?.forget(clock.now() - countsKeptMs),
    () => sweep(options),
  ];
  while (!signal.aborted) {
    for (const tidyUp of chores) {
      // A chore that fails, because a bucket cannot be reached, for example, does not keep the others from being done.
      await tidyUp().catch((error: unknown) => log.error({ err: error }, "housekeeping failed"));
      if (signal.aborted) return;
    }
    await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** In batches, so that submissions are stored in between. */
async function forgetExpired({ store, clock }: HousekeepingOptions, signal: AbortSignal): Promise<void> {
  for (let more = true; more && !signal.aborted; await nextTurn()) {
    ({ more } = await store.forgetExpired(clock.now()));
  }
}

async function sweep({ vault, store, log }: HousekeepingOptions): Promise<void> {
  const { staged, setAside, putBack, removed, withheld } = await vault.sweep({
    known: (keys) => store.knownResumeKeys(keys),
    identity: store.identity,
    olderThanMs: leftoverAfterMs,
  });
  if (staged > 0) log.info({ count: staged }, "removed unfinished uploads");
  if (setAside > 0) log.warn({ count: setAside }, "set aside resumes that no application knows");
  if (putBack > 0) log.warn({ count: putBack }, "put back resumes that an application knows after all");
  if (removed > 0) log.info({ count: removed }, "removed resumes that were set aside long ago");
  if (withheld !== "none") {
    log.error({ code: withheld }, "resumes are unknown to the database and were left alone: is it the right one?");
  }
}
