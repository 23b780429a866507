// The clock of the server, which all processes agree on: a process whose own clock is wrong must not take leases that
// have not run out, nor lose its own.
import type { Clock } from "../../clock.ts";
import { StorageUnavailable } from "../store.ts";
import type { Connections } from "./connections.ts";
import { prepared } from "./statement.ts";

const measureEveryMs = 60_000;
/** Samples of one measurement; their median counts, so that one slow answer does no harm. */
const samples = 5;

const askTime = prepared<{ now: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now");

/**
 * Measures what the server's clock is ahead of this machine's, now and again every minute until it is disposed of.
 *
 * @param base this machine's clock, or one that a test moves: the offset is added to it
 */
export async function startServerClock(connections: Connections, base: Clock): Promise<Clock & Disposable> {
  let offsetMs = await measure(connections);

  async function measureAgain(): Promise<void> {
    try {
      offsetMs = await measure(connections);
    } catch (error) {
      // The offset stays as it was until the database is back.
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  const timer = setInterval(() => void measureAgain(), measureEveryMs).unref();
  return { now: () => base.now() + offsetMs, [Symbol.dispose]: () => clearInterval(timer) };
}

async function measure(connections: Connections): Promise<number> {
  const offsets: number[] = [];
  while (offsets.length < samples) {
    const begun = performance.now();
    const asked = Date.now();
    const [server] = await connections.all(askTime);
    const halfTripMs = (performance.now() - begun) / 2;
    if (server !== undefined) offsets.push(Math.round(server.now - asked - halfTripMs));
  }
  return offsets.toSorted((a, b) => a - b)[Math.floor(samples / 2)] ?? 0;
}
