// The clock of the server, which all processes agree on: a process whose own clock is wrong must not take leases that
// have not run out, nor lose its own.
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../clock.ts";
import { StorageUnavailable } from "../store.ts";
import type { Connections } from "./connections.ts";
import { prepared } from "./statement.ts";

const measureEveryMs = 60_000;
/** Samples of one measurement; their median counts, so that one slow answer does no harm. */
const samples = 5;

const askTime = prepared<{ now: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now");

export class ServerClock implements Clock, Disposable {
  readonly #connections: Connections;
  readonly #base: Clock;
  readonly #stopped = new AbortController();
  /** What the server's clock is ahead of this machine's. */
  #offsetMs = 0;

  private constructor(connections: Connections, base: Clock) {
    this.#connections = connections;
    this.#base = base;
  }

  /**
   * Measures the offset now, and again every minute until it is disposed of.
   *
   * @param base this machine's clock, or one that a test moves: the offset is added to it
   */
  static async start(connections: Connections, base: Clock): Promise<ServerClock> {
    const clock = new ServerClock(connections, base);
    await clock.#measure();
    void clock.#measureAgain();
    return clock;
  }

  now(): number {
    return this.#base.now() + this.#offsetMs;
  }

  [Symbol.dispose](): void {
    this.#stopped.abort();
  }

  async #measureAgain(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await pause(measureEveryMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      await this.#measure().catch((error: unknown) => {
        // The offset stays as it was until the database is back.
        if (!(error instanceof StorageUnavailable)) throw error;
      });
    }
  }

  async #measure(): Promise<void> {
    const offsets: number[] = [];
    while (offsets.length < samples) {
      const begun = performance.now();
      const asked = Date.now();
      const [server] = await this.#connections.all(askTime);
      const halfTripMs = (performance.now() - begun) / 2;
      if (server !== undefined) offsets.push(Math.round(server.now - asked - halfTripMs));
    }
    this.#offsetMs = offsets.toSorted((a, b) => a - b)[Math.floor(samples / 2)] ?? 0;
  }
}
