// Time that passes only when everything that could happen at an instant has happened: days of it go by in seconds, the
// same way each time. While it is installed, timers and chance of the whole process are its own.
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import type { Clock, Stopwatch } from "../../../server/src/clock.ts";
import { Heap } from "./heap.ts";

interface Timer {
  readonly at: number;
  readonly order: number;
  call: (() => void) | null;
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  performanceNow: performance.now,
  sleep: timersPromises.setTimeout,
  random: Math.random,
};

export class VirtualTime implements Clock, Stopwatch, Disposable {
  readonly #timers = new Heap<Timer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #now: number;
  #order = 0;

  /** Installs it. The seed decides every chance. */
  constructor(start: number, seed: number) {
    this.#now = start;
    Math.random = seededRandom(seed);
    // What is made of these here is all that the outbox does with them.
    globalThis.setTimeout = ((call: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
      this.after(ms, () => call(...values))) as never;
    globalThis.clearTimeout = ((timer?: Timer) => {
      if (timer !== undefined) timer.call = null;
    }) as never;
    globalThis.setImmediate = ((call: () => void) => this.after(0, call)) as never;
    performance.now = () => this.#now - start;
    timersPromises.setTimeout = ((ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      this.#sleep(ms, value, signal)) as never;
    syncBuiltinESMExports();
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return performance.now();
  }

  after(ms: number, call: () => void): Timer {
    const timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, call };
    this.#timers.push(timer);
    return timer;
  }

  /** Resolves after this long. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets time pass until an instant, or until `done` says so after an event. */
  async run(until: number, done: () => boolean = () => false): Promise<void> {
    await settled();
    while (!done()) {
      const next = this.#timers.peek();
      if (next === undefined || next.at > until) break;
      this.#timers.pop();
      if (next.call === null) continue;
      this.#now = next.at;
      next.call();
      await settled();
    }
    if (!done()) this.#now = Math.max(this.#now, until);
  }

  #sleep(ms: number, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = this.after(ms, () => resolve(value));
    const abort = () => {
      timer.call = null;
      reject(signal?.reason);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", abort));
  }

  [Symbol.dispose](): void {
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    globalThis.setImmediate = real.setImmediate;
    performance.now = real.performanceNow;
    timersPromises.setTimeout = real.sleep;
    Math.random = real.random;
    syncBuiltinESMExports();
  }
}

// All that runs between two timers are promises, and they have all run before the next turn of the loop.
const settled = () => new Promise<void>((resolve) => real.setImmediate(resolve));

/** Mulberry32: small, even enough for arrivals and jitter, and the same everywhere. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
