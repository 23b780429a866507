// Stands in for server/src/clock.ts: tells a time that is CLOCK_AHEAD_MS later and runs CLOCK_RATE times as fast, so that
// leases have run out, files are old and pauses are short without anybody waiting. With CLOCK_FILE it is as many milliseconds
// later as that file says at the moment, which one clock for several processes is made of.
import { readFileSync } from "node:fs";
import type { Clock, Stopwatch } from "../../../../server/src/clock.ts";

// What only reckons with times stays as it is.
export * from "../../../../server/src/clock.ts";

const aheadMs = Number(process.env["CLOCK_AHEAD_MS"] ?? 0);
const rate = Number(process.env["CLOCK_RATE"] ?? 1);
const startedAt = Date.now();
const file = process.env["CLOCK_FILE"];

const now = () =>
  file !== undefined
    ? Date.now() + Number(readFileSync(file, "utf8"))
    : startedAt + aheadMs + Math.floor((Date.now() - startedAt) * rate);

// A stopwatch stands between two milliseconds, as `performance.now()` does: what is stored must be whole.
export const systemClock: Clock & Stopwatch = { now, elapsed: () => now() + 0.25 };
