// Tidies up at the start and every hour: mails, keys, challenges and submissions that have had their time, call counts of
// past windows, files that crashes left behind, counts of past days. What one round misses the next one does.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Config } from "./config/config.ts";
import { discardErased, eraseOutdated, findOutdated, needsConfirmation } from "./desk/erase.ts";
import type { Log } from "./observe/log.ts";
import { repeatedly } from "./repeatedly.ts";
import type { Vault } from "./resumes/vault.ts";
import type { RateLimitStore } from "./storage/rate-limit-store.ts";
import type { DeskStore } from "./storage/desk-store.ts";
import { shownDay } from "./clock.ts";
import type { Store } from "./storage/store.ts";

const intervalMs = 60 * 60 * 1000;
const closeMsMax = 500;
/** Longer than any upload and commit can take. */
const leftoverAfterMs = 60 * 60 * 1000;
/** By the clock of another process the window may not be over. */
const countsKeptMs = 60 * 1000;

interface HousekeepingOptions {
  readonly vault: Pick<Vault, "sweep" | "belongsTo" | "discard">;
  readonly store: Pick<Store, "clock" | "identity" | "knownResumeKeys" | "forgetExpired"> & {
    readonly desk: Pick<DeskStore, "countOutdated" | "eraseOutdated" | "resumesToDiscard" | "countSubscribers">;
  };
  readonly retentionDays: Config["retentionDays"];
  /** How many submissions wait for an operator's confirmation before they are erased. */
  readonly retentionWaits: { set(count: number): void };
  /** Null: only this process counts, in its memory. */
  readonly rateLimitStore: Pick<RateLimitStore, "forget"> | null;
  readonly log: Log;
}

/** Begins to tidy up. Disposing waits a moment for the round under way. */
export function startHousekeeping(options: HousekeepingOptions): AsyncDisposable {
  const { rateLimitStore, log, store, vault } = options;
  const { clock } = store;
  const start = { at: clock.now(), elapsed: clock.elapsed() };
  const started = () => ({ at: start.at, elapsedMs: clock.elapsed() - start.elapsed });
  let erasedOn = "";
  const eraseOutdatedDaily = async (signal: AbortSignal) => {
    const today = shownDay(clock.now());
    if (today === erasedOn) return;
    // While it waits for an operator's confirmation, it looks every hour whether that was given.
    if (await retain(options, signal)) erasedOn = today;
  };
  const chores: ((signal: AbortSignal) => Promise<unknown>)[] = [
    async (signal) => {
      // Submissions are stored between the batches.
      while (!signal.aborted && (await store.forgetExpired(clock.now(), started())).more) await nextTurn();
    },
    async () => rateLimitStore?.forget(clock.now() - countsKeptMs),
    eraseOutdatedDaily,
    () => discardErased({ store, vault }),
    () => store.desk.countSubscribers(clock.now()),
    () => sweep(options),
  ];
  const keeping = repeatedly(async (signal) => {
    for (const tidyUp of chores) {
      if (signal.aborted) break;
      // A chore that fails, because a bucket cannot be reached, for example, does not keep the others from being done.
      await tidyUp(signal).catch((error: unknown) => log.error({ err: error }, "housekeeping failed"));
    }
    return intervalMs;
  });
  return {
    [Symbol.asyncDispose]: () =>
      Promise.race([keeping[Symbol.asyncDispose](), sleep(closeMsMax, undefined, { ref: false })]),
  };
}

/** Erases submissions that are older than their days. False: it would erase much of a kind, which takes an operator's confirmation. */
async function retain(options: HousekeepingOptions, signal: AbortSignal): Promise<boolean> {
  const { store, retentionDays, retentionWaits, log } = options;
  const actor = { operator: "retention", at: store.clock.now() };
  let waits = 0;
  for (const due of await findOutdated(store.desk, retentionDays, actor.at)) {
    const { kind, before, outdated, stored } = due;
    if (needsConfirmation(due)) {
      waits += outdated;
      const what = { kind, count: outdated, of: stored, before: new Date(before).toISOString() };
      log.error(
        what,
        "retention would erase much at once and waits: is the clock right? npm run submissions -- retention",
      );
      continue;
    }
    const erased = outdated === 0 ? 0 : await eraseOutdated(store.desk, due, actor, signal);
    if (erased > 0) log.info({ kind, count: erased }, "erased submissions that have had their days");
  }
  retentionWaits.set(waits);
  return waits === 0;
}

async function sweep({ vault, store, log }: HousekeepingOptions): Promise<void> {
  const { staged, setAside, putBack, removed, withheld } = await vault.sweep({
    // A file that could not be discarded a moment ago must not be set aside: it would be found there no more.
    known: (keys) => store.knownResumeKeys(keys, true),
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
