// When a mail that could not be sent is tried again: exponential with jitter, for 72 hours, never earlier than the
// provider asked for.

const firstDelayMs = 10_000;
const delayMsMax = 60 * 60 * 1000;
/** How long a mail is tried before it is given up. */
export const retryMsMax = 72 * 60 * 60 * 1000;
/**
 * Tries that a mail gets however old it is, over an hour or so. When the service was off for three days, or the token was
 * wrong, a mail must not be given up at its first failure.
 */
const triesMin = 10;

interface FailedTry {
  /** When the mail was stored, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** Tries made, this one included. */
  readonly attempts: number;
  readonly now: number;
  /** What the provider asked for. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * When the next try is due, or undefined when the mail is given up. The last try is made at the very end of the 72
 * hours, however long the delay before it would have been.
 *
 * @param random 0 to 1; spreads mails that failed together, so that they do not come back together
 */
export function nextTry(failed: FailedTry, random: () => number = Math.random): number | undefined {
  const end = failed.createdAt + retryMsMax;
  const isOld = failed.now >= end;
  if (isOld && failed.attempts >= triesMin) return undefined;
  const full = Math.min(firstDelayMs * 2 ** Math.min(failed.attempts - 1, 20), delayMsMax);
  const delay = Math.max(full / 2 + (random() * full) / 2, failed.retryAfterMs ?? 0);
  const dueAt = failed.now + Math.round(delay);
  return isOld ? dueAt : Math.min(dueAt, end);
}
