// Stands in for server/src/clock.ts: tells a time that is CLOCK_AHEAD_MS later and runs CLOCK_RATE times as fast, so that
// leases have run out, files are old and pauses are short without anybody waiting.
import type { Clock } from "../../../server/src/clock.ts";

const aheadMs = Number(process.env["CLOCK_AHEAD_MS"] ?? 0);
const rate = Number(process.env["CLOCK_RATE"] ?? 1);
const startedAt = Date.now();

export const systemClock: Clock = {
  now: () => startedAt + aheadMs + Math.floor((Date.now() - startedAt) * rate),
};
