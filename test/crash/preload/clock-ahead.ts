// Stands in for server/src/clock.ts: tells a time that is CLOCK_AHEAD_MS later, so that leases have run out and files
// are old without anybody waiting.
import type { Clock } from "../../../server/src/clock.ts";

const aheadMs = Number(process.env["CLOCK_AHEAD_MS"] ?? 0);

export const systemClock: Clock = { now: () => Date.now() + aheadMs };
