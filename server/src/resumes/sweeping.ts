// Sweeps what crashes leave behind, at the start and every hour: staging files and kept resumes that no application
// knows.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../observe/log.ts";
import type { Store } from "../storage/store.ts";
import type { Vault } from "./vault.ts";

const intervalMs = 60 * 60 * 1000;
// Longer than any upload and commit can take.
const olderThanMs = 60 * 60 * 1000;

interface SweepingOptions {
  readonly vault: Pick<Vault, "sweep">;
  readonly store: Pick<Store, "knownResumeKeys">;
  readonly log: Log;
}

/** Begins to sweep; disposing waits for the sweep under way. */
export function startSweeping({ vault, store, log }: SweepingOptions): AsyncDisposable {
  const stopping = new AbortController();
  const sweeping = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const { staged, orphaned } = await vault.sweep((keys) => store.knownResumeKeys(keys), olderThanMs);
        if (staged + orphaned > 0) log.info({ count: staged + orphaned }, "swept files that no application knows");
      } catch (error) {
        // Nothing depends on a sweep; the next one may work.
        log.error({ err: error }, "sweeping failed");
      }
      await sleep(intervalMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await sweeping;
    },
  };
}
