// The clock of the server, which all processes agree on: a process whose own clock is wrong must not take leases that
// have not run out, nor lose its own.
import type { Clock, Stopwatch } from "../../clock.ts";
import { only } from "../sql/engine.ts";
import type { Connections } from "./connections.ts";
import { prepared } from "./statement.ts";

/** A slow answer makes it wrong by half the time that it took: much less than a lease lasts. */
const measureEveryMs = 60_000;

const askTime = prepared<{ now: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now");

/** By how much the machine's clock must have been set to count as set, in milliseconds. */
const setMsMin = 1_000;

/**
 * Measures the server's clock every minute, and in between goes on by a clock that is never set. When the machine's clock
 * was set, it may have slept: the server's is measured at once.
 * @param base this machine's clock, or one that a test moves
 */
export async function startServerClock(
  connections: Connections,
  base: Clock & Stopwatch,
): Promise<Clock & Stopwatch & Disposable> {
  let start = await measure(connections);
  let measuring = false;

  async function measureAgain(): Promise<void> {
    if (measuring) return;
    measuring = true;
    try {
      start = await measure(connections);
    } catch {
      // It stays as it was until the next time. Whatever it was: nothing waits for it that could tell of it.
    } finally {
      measuring = false;
    }
  }

  function now(): number {
    const byMachine = startByMachine();
    if (Math.abs(byMachine - start.byMachine) >= setMsMin) void measureAgain();
    return Math.round(base.now() - byMachine + start.byServer);
  }

  const timer = setInterval(() => void measureAgain(), measureEveryMs).unref();
  return { now, elapsed: () => base.elapsed(), [Symbol.dispose]: () => clearInterval(timer) };
}

const startByMachine = () => Date.now() - performance.now();

/** Answers when `performance.now()` was 0, by the server's clock and by the machine's. */
async function measure(connections: Connections) {
  const asked = performance.now();
  const server = only(await connections.all(askTime));
  return { byServer: server.now - (asked + performance.now()) / 2, byMachine: startByMachine() };
}
