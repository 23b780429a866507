// Repeats work while the service runs.
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Begins the work. Disposing ends it and waits for the run under way.
 *
 * @param work resolves to the pause before the next run, in milliseconds; never rejects
 */
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
