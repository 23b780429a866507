// Mails and deliveries that were written by a clock that was ahead and has been set back. Without care they would wait until
// it is that late again. What was written later than now is due now, and its lease is free.
import type { Engine } from "./engine.ts";

/** By so much the clocks of processes may differ. */
const slackMs = 60_000;

/** No lease is longer: one that ends later was taken by a clock that was ahead. */
const leaseMsMax = 2 * 60_000;

/**
 * A condition of a claim. Both are SQL.
 *
 * @param endedBefore when the lease must have ended
 */
export const leaseIsOver = (now: string, endedBefore: string): string =>
  `(lease_until IS NULL OR lease_until < ${endedBefore} OR lease_until > ${now} + ${leaseMsMax})`;

/**
 * To be called before each claim. It looks for such rows at its first call and when the time has gone back since: they are
 * not indexed.
 */
export function makeRewind({ prepare, write }: Engine, table: "mail" | "webhook_delivery") {
  const rewind = prepare(`
    UPDATE ${table} SET due_at = $1, scheduled_at = $1
    WHERE status = 'queued' AND due_at > $2 AND coalesce(scheduled_at, created_at) > $2`);
  let latest = Infinity;
  return async (now: number): Promise<void> => {
    if (now < latest - slackMs) await write(rewind(now, now + slackMs));
    // After the write, which may have failed.
    else if (now < latest) return;
    latest = now;
  };
}
