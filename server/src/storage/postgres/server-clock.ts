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

/** By how much the machine's clock must have been set to count as set, in milliseconds. */
const setMsMin = 1_000;

interface Measured {
  /** What the server's clock is ahead of this machine's. */
  readonly aheadMs: number;
  /** What the machine's clock was then ahead of a clock that is never set. */
  readonly wallMs: number;
}

/**
 * Measures what the server's clock is ahead of this machine's, now and again every minute until it is disposed of. When
 * the machine's clock is set in between, the time goes on as if it had not been, and is measured at once.
 *
 * @param base this machine's clock, or one that a test moves: the offset is added to it
 */
export async function startServerClock(connections: Connections, base: Clock): Promise<Clock & Disposable> {
  let measured = await measure(connections);
  let measuring = false;

  async function measureAgain(): Promise<void> {
    if (measuring) return;
    measuring = true;
    try {
      measured = await measure(connections);
    } catch (error) {
      // The offset stays as it was until the database is back.
      if (!(error instanceof StorageUnavailable)) throw error;
    } finally {
      measuring = false;
    }
  }

  function now(): number {
    const setMs = Math.round(wallMs() - measured.wallMs);
    if (Math.abs(setMs) < setMsMin) return base.now() + measured.aheadMs;
    void measureAgain();
    return base.now() - setMs + measured.aheadMs;
  }

  const timer = setInterval(() => void measureAgain(), measureEveryMs).unref();
  return { now, [Symbol.dispose]: () => clearInterval(timer) };
}

const wallMs = () => Date.now() - performance.now();

async function measure(connections: Connections): Promise<Measured> {
  const starts: number[] = [];
  while (starts.length < samples) {
    const asked = performance.now();
    const [server] = await connections.all(askTime);
    // By the clock that is never set, so that the machine's may be set meanwhile.
    if (server !== undefined) starts.push(server.now - (asked + performance.now()) / 2);
  }
  const start = starts.toSorted((a, b) => a - b)[Math.floor(samples / 2)] ?? 0;
  const wall = wallMs();
  return { aheadMs: Math.round(start - wall), wallMs: wall };
}
