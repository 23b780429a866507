// Has resumes scanned after they were accepted, oldest first. A scanner that is down delays downloads, never a
// submission.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../observe/log.ts";
import type { Store } from "../storage/store.ts";
import { NoVerdict, scanWithClamd, type ClamdAddress } from "./clamd.ts";
import { ResumeMissing, type Vault } from "./vault.ts";

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
        if (!signal.aborted) options.log.warn({ err: error }, "scanning resumes failed and will be tried again");
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
async function scanWaiting(options: ScanningOptions, signal: AbortSignal): Promise<number> {
  // Files that cannot be judged stay unscanned, which keeps them from being saved, and must not hold up the others.
  let skipped = 0;
  for (;;) {
    const waiting = (await options.store.unscannedResumes(batchMax + skipped)).slice(skipped);
    for (const resume of waiting) {
      if (signal.aborted) return 0;
      if (!(await scanOne(options, resume, signal))) skipped += 1;
    }
    if (waiting.length < batchMax) return skipped > 0 ? afterFailureMs : pollMs;
  }
}

/** Whether the scanner judged it. Rejects when there is no use in asking about others. */
async function scanOne(
  { clamd, store, vault, log }: ScanningOptions,
  { key, reference }: { readonly key: string; readonly reference: string },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const verdict = await scanWithClamd(clamd, await vault.read(key), signal);
    await store.recordScan(key, verdict);
    if (verdict === "infected") log.warn({ reference, result: verdict }, "a resume is infected");
    return true;
  } catch (error) {
    const ofThisFile = error instanceof NoVerdict || error instanceof ResumeMissing;
    if (!ofThisFile || signal.aborted) throw error;
    log.error({ err: error, reference }, "a resume cannot be scanned");
    return false;
  }
}
