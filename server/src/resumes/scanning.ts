// Has resumes scanned after they were accepted, oldest first. A scanner that is down delays downloads, never a
// submission.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../observe/log.ts";
import type { Store } from "../storage/store.ts";
import { scanWithClamd, type ClamdAddress } from "./clamd.ts";
import type { Vault } from "./vault.ts";

// The look at an index that is empty most of the time.
const pollMs = 2_000;
const afterFailureMs = 30_000;
const batchMax = 50;

interface ScanningOptions {
  readonly clamd: ClamdAddress;
  readonly store: Pick<Store, "unscannedResumes" | "recordScan">;
  readonly vault: Pick<Vault, "read">;
  readonly log: Log;
}

/** Begins to scan; disposing waits for the scan under way. */
export function startScanning(options: ScanningOptions): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const scanning = (async () => {
    while (!signal.aborted) {
      const pauseMs = await scanWaiting(options, signal).catch((error: unknown) => {
        options.log.warn({ err: error }, "scanning resumes failed and will be tried again");
        return afterFailureMs;
      });
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await scanning;
    },
  };
}

/** Scans what waits; answers how long to rest. */
async function scanWaiting({ clamd, store, vault, log }: ScanningOptions, signal: AbortSignal): Promise<number> {
  let unreadable = 0;
  for (;;) {
    const waiting = (await store.unscannedResumes(batchMax + unreadable)).slice(unreadable);
    for (const { key, reference } of waiting) {
      if (signal.aborted) return 0;
      const bytes = await vault.read(key).catch((error: unknown) => {
        log.error({ err: error, reference }, "a resume cannot be read");
        return undefined;
      });
      if (bytes === undefined) {
        // It stays unscanned, which keeps it from being downloaded, and must not hold up the others.
        unreadable += 1;
        continue;
      }
      const verdict = await scanWithClamd(clamd, bytes);
      await store.recordScan(key, verdict);
      if (verdict === "infected") log.warn({ reference, result: verdict }, "a resume is infected");
    }
    if (waiting.length < batchMax) return unreadable > 0 ? afterFailureMs : pollMs;
  }
}
