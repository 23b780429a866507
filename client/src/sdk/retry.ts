// When a submission is sent again, and the loop that does it. It knows failures and time, and neither addresses nor
// bodies. The idempotency key makes sending again safe.
import { SubmissionError } from "./submission-error.ts";

/**
 * How often and how long a submission is sent again. What is left out keeps its default.
 *
 * @example
 * ```ts
 * const patient: RetryOptions = { tries: 20, longestWaitMs: 60_000, giveUpAfterMs: 600_000 };
 * await submissions.marketplace.inquiry(inquiry, { retry: patient });
 * ```
 */
export interface RetryOptions {
  /** How often a submission is sent at most. Tries that end in `CONFLICT` do not count. Default 4. */
  readonly tries?: number | undefined;
  /** The longest wait before the second try, in milliseconds; it doubles with every further one. Default 500. */
  readonly firstWaitMs?: number | undefined;
  /** Where the doubling ends, in milliseconds. The service may ask for a longer wait. Default 8,000. */
  readonly longestWaitMs?: number | undefined;
  /**
   * After how many milliseconds, counted from the call, nothing is sent again; at most 43,200,000, half as long as the
   * service keeps keys. A running try is not cut, however long its upload takes; use `signal` for that. Default 30,000.
   */
  readonly giveUpAfterMs?: number | undefined;
}

/** Retry options without gaps. */
export type RetryPolicy = { readonly [Name in keyof RetryOptions]-?: number };

/** The clock and the random numbers. Tests have their own. */
export interface Clock {
  /** Milliseconds since some moment. */
  now(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason at once when it is aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

const defaults: RetryPolicy = { tries: 4, firstWaitMs: 500, longestWaitMs: 8_000, giveUpAfterMs: 30_000 };

const bounds: { readonly [Name in keyof RetryPolicy]: readonly [min: number, max: number] } = {
  tries: [1, 100],
  firstWaitMs: [0, 43_200_000],
  longestWaitMs: [0, 43_200_000],
  giveUpAfterMs: [0, 43_200_000],
};

/**
 * The policy of the options; null when nothing is sent again.
 *
 * @param base the policy for options that are left out
 * @throws TypeError when a number is out of bounds
 */
export function retryPolicy(options: RetryOptions | false | undefined, base: RetryPolicy | null = defaults) {
  if (options === undefined) return base;
  if (options === false) return null;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const policy: RetryPolicy = { ...(base ?? defaults), ...given };
  for (const [name, [min, max]] of Object.entries(bounds)) {
    const value = policy[name as keyof RetryPolicy];
    if (!(Number.isInteger(value) && value >= min && value <= max))
      throw new TypeError(`\`retry.${name}\` must be a whole number from ${min} to ${max}.`);
  }
  return policy;
}

// Overload, and the answers of proxies while the service behind them is down.
const passingStatuses = new Set([429, 502, 503, 504]);

/** Whether the last of these failures may pass. */
function mayPass(last: SubmissionError, failures: readonly SubmissionError[]): boolean {
  if (last.code === "NETWORK" || last.code === "CONFLICT") return true;
  // An internal error is rarely gone the next moment, and each one alerts an operator.
  if (last.status === 500) return failures.filter(({ status }) => status === 500).length === 1;
  return last.status !== undefined && passingStatuses.has(last.status);
}

/**
 * How many milliseconds to wait after these failures of one submission; null to give up.
 *
 * The back-off is exponential with full jitter, so that callers who failed together do not come back together. For the
 * same reason some of it is added to the wait that the service asks for.
 *
 * @param elapsedMs since the call began
 * @param random from 0 to below 1
 */
export function waitAfter(
  failures: readonly SubmissionError[],
  elapsedMs: number,
  policy: RetryPolicy,
  random: number,
): number | null {
  const last = failures.at(-1);
  const counted = failures.filter(({ code }) => code !== "CONFLICT").length;
  if (last === undefined || counted >= policy.tries || !mayPass(last, failures)) return null;
  // No wait doubles more often. Without a bound, 0 doubled to infinity would be no number.
  const doublings = Math.min(failures.length - 1, 30);
  const backOffMs = random * Math.min(policy.longestWaitMs, policy.firstWaitMs * 2 ** doublings);
  const askedMs =
    last.retryAfterSeconds === undefined ? 0 : last.retryAfterSeconds * 1_000 + random * policy.firstWaitMs;
  const waitMs = Math.max(backOffMs, askedMs);
  return elapsedMs + waitMs > policy.giveUpAfterMs ? null : waitMs;
}

/** Sends until there is an answer or a failure that is not worth another try, and rejects with the last failure, with `mayHaveArrived` of all. */
export async function repeat<Answer>(
  send: () => Promise<Answer>,
  policy: RetryPolicy | null,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const startedAt = clock.now();
  const failures: SubmissionError[] = [];
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SubmissionError) || policy === null) throw error;
      failures.push(error);
      const waitMs = waitAfter(failures, clock.now() - startedAt, policy, clock.random());
      if (waitMs === null)
        throw Object.assign(error, { mayHaveArrived: failures.some(({ mayHaveArrived }) => mayHaveArrived) });
      await clock.wait(waitMs, signal);
    }
  }
}

/** The system's clock and random numbers. */
export const systemClock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      // The caller gets the reason of its own signal.
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    }),
};
