// Counts failed sign-ins, so that passwords cannot be tried one after the other. No account is locked: the wait ends by
// itself, and a device that has signed in before is counted apart from strangers. Each process counts alone.
import { createHmac, randomBytes } from "node:crypto";
import type { Stopwatch } from "../clock.ts";
import { Fault } from "../fault.ts";
import { FixedWindows } from "../fixed-windows.ts";

const minuteMs = 60 * 1000;

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
  const failures = (max: number, ms: number) => ({ max, windows: new FixedWindows(ms, clock) });
  const ofClient = [failures(10, minuteMs), failures(30, 15 * minuteMs)];
  const ofAddress = failures(10, 15 * minuteMs);
  const ofDevice = failures(10, 15 * minuteMs);

  function countedBy({ client, typed, device }: Trying) {
    if (device !== null) return [{ ...ofDevice, key: device }];
    const counted = ofClient.map((one) => ({ ...one, key: client }));
    if (typed === null) return counted;
    const key = createHmac("sha256", hashKey).update(typed.normalize("NFKC").trim().toLowerCase()).digest("base64");
    return [...counted, { ...ofAddress, key }];
  }

  /**
   * Runs a try. It counts as failed until it has succeeded, so that tries at once are not counted too late.
   * @param attempt answers null when it fails
   * @throws Fault `signInThrottled`, or what `attempt` throws; that counts as failed
   */
  return async function throttled<Success>(trying: Trying, attempt: () => Promise<Success | null>) {
    const counted = countedBy(trying);
    const waits = counted.map(({ max, windows, key }) => {
      const { count, msLeft } = windows.of(key);
      return count >= max ? msLeft : 0;
    });
    const waitMs = Math.max(...waits);
    if (waitMs > 0) throw new Fault("signInThrottled", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    for (const { windows, key } of counted) windows.add(key);
    const success = await attempt();
    if (success !== null) for (const { windows, key } of counted) windows.takeBack(key);
    return success;
  };
}
