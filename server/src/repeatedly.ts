import { setTimeout as sleep } from "node:timers/promises";

/** Repeats work, which resolves to the milliseconds until its next run. Disposing waits for the run under way. */
export function repeatedly(work: (signal: AbortSignal) => Promise<number>) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let hurry = new AbortController();
  const working = (async () => {
    while (!signal.aborted) {
      hurry = new AbortController();
      const restMs = await work(signal);
      await sleep(restMs, undefined, { signal: AbortSignal.any([signal, hurry.signal]), ref: false }).catch(() => {});
    }
  })();
  return {
    /** Begins the next run at once, or as soon as the one under way ends. */
    hurry: () => hurry.abort(),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await working;
    },
  };
}
