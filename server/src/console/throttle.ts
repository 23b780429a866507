// Counts failed sign-ins, so that passwords cannot be tried one after the other. No account is locked: the wait ends by
// itself, and a device that has signed in before is counted apart from strangers. Each process counts alone.
import { createHmac, randomBytes } from "node:crypto";
import type { Stopwatch } from "../clock.ts";
import { Fault } from "../fault.ts";

const minuteMs = 60 * 1000;
/** Some megabytes. The oldest are forgotten first. */
const entriesMax = 20_000;

/** Failures of one kind in fixed windows. */
function countFailures(max: number, ms: number) {
  const counts = new Map<string, { count: number; readonly until: number }>();
  return {
    /** How long this key has to wait, in milliseconds; 0: not at all. */
    waitMs(key: string, now: number): number {
      const entry = counts.get(key);
      return entry !== undefined && entry.count >= max ? Math.max(0, entry.until - now) : 0;
    },

    change(key: string, by: 1 | -1, now: number): void {
      const entry = counts.get(key);
      if (entry !== undefined && entry.until > now) entry.count += by;
      else if (by > 0) {
        counts.delete(key);
        counts.set(key, { count: 1, until: now + ms });
        const [oldest = key] = counts.keys();
        if (counts.size > entriesMax) counts.delete(oldest);
      }
    },
  };
}

interface Trying {
  readonly client: string;
  /** The e-mail address; null: none was typed. */
  readonly typed: string | null;
  /** The name of a device that has signed in with this address before; null: the device is not known. */
  readonly device: string | null;
}

/** Counts by client address (IPv6 by /64) and by the address that was typed; for a known device by the device. */
export function throttleSignIns(clock: Stopwatch) {
  // Addresses are not kept as they were typed.
  const hashKey = randomBytes(32);
  const ofClient = [countFailures(10, minuteMs), countFailures(30, 15 * minuteMs)];
  const ofAddress = countFailures(10, 15 * minuteMs);
  const ofDevice = countFailures(10, 15 * minuteMs);

  function countedBy({ client, typed, device }: Trying) {
    if (device !== null) return [{ failures: ofDevice, key: device }];
    const counted = ofClient.map((failures) => ({ failures, key: client }));
    if (typed === null) return counted;
    const key = createHmac("sha256", hashKey).update(typed.normalize("NFKC").trim().toLowerCase()).digest("base64");
    return [...counted, { failures: ofAddress, key }];
  }

  return {
    /**
     * Runs a try. It counts as failed until it has succeeded, so that tries at once are not counted too late.
     * @param attempt answers null when it fails
     * @throws Fault `signInThrottled`, or what `attempt` throws; that counts as failed
     */
    async attempt<Success>(trying: Trying, attempt: () => Promise<Success | null>): Promise<Success | null> {
      const counted = countedBy(trying);
      const now = clock.elapsed();
      const waitMs = Math.max(...counted.map(({ failures, key }) => failures.waitMs(key, now)));
      if (waitMs > 0) throw new Fault("signInThrottled", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
      for (const { failures, key } of counted) failures.change(key, 1, now);
      const success = await attempt();
      if (success !== null) for (const { failures, key } of counted) failures.change(key, -1, now);
      return success;
    },
  };
}
