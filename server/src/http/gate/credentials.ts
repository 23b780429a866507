// Secrets that callers send: compared in constant time, and counted when they are wrong.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Fault } from "../../fault.ts";
import type { ClientAddresses } from "./client-address.ts";
import { countsInMemory } from "./guard.ts";

/** Compares with a secret, in a time that tells nothing of it. */
export function secretCheck(secret: string): (sent: string | Buffer) => boolean {
  // Digests have one length, so that not even the secret's is told.
  const digest = (value: string | Buffer) => createHash("sha256").update(value).digest();
  const expected = digest(secret);
  return (sent) => timingSafeEqual(digest(sent), expected);
}

/**
 * Counts the wrong passwords of each client address, so that they cannot be tried one after the other.
 *
 * @param max wrong passwords of one address in a minute
 */
export function countWrongPasswords(addresses: Pick<ClientAddresses, "keysOf">, max: number) {
  const counts = countsInMemory("wrong-passwords", { max, windowSeconds: 60 });

  /**
   * Counts a password if it is wrong. A client over the limit is refused even with the right one: an answer that told
   * them apart would be one more try.
   *
   * @throws Fault `tooManyAttempts`
   */
  return async (request: IncomingMessage, isRight: boolean): Promise<void> => {
    const key = addresses.keysOf(request).rate;
    // Both look at the count before this function yields, so that tries at once are not counted too late.
    const counted = await (isRight ? counts.get(key) : counts.penalty(key));
    const before = (counted?.consumedPoints ?? 0) - (isRight ? 0 : 1);
    if (counted === null || before < max) return;
    throw new Fault("tooManyAttempts", { retryAfterSeconds: Math.max(1, Math.ceil(counted.msBeforeNext / 1000)) });
  };
}
