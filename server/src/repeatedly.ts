import { setTimeout as sleep } from "node:timers/promises";

/** Repeats work, which resolves to the milliseconds until its next run. Disposing waits for the run under way. */
export function repeatedly(work: (signal: AbortSignal) => Promise<number>): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const working = (async () => {
    while (!signal.aborted) {
      const restMs = await work(signal);
      await sleep(restMs, undefined, { signal, ref: false }).catch(() => {});
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await working;
    },
  };
}
