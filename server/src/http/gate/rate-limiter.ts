// Where the gate counts: in this process, or, where several share a database, in that. A gate that cannot reach the shared
// counts goes on counting by itself; whether submissions can be stored then is not its affair.
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible";
import { type CallCounts, callCountTable } from "../../storage/call-counts.ts";

export interface RateLimit {
  /** Calls of one client in a window. */
  readonly max: number;
  readonly windowSeconds: number;
}

/**
 * @param name keeps the counts of one gate apart from those of another
 * @param shared null: only this process counts
 */
export function openRateLimiter(
  name: string,
  { max, windowSeconds }: RateLimit,
  shared: CallCounts | null,
): RateLimiterAbstract {
  const limit = { keyPrefix: name, points: max, duration: windowSeconds };
  const alone = new RateLimiterMemory(limit);
  if (shared === null) return alone;
  return new RateLimiterPostgres({
    ...limit,
    storeClient: shared,
    storeType: "client",
    tableName: callCountTable,
    tableCreated: true,
    // Housekeeping forgets them; the library would keep a timer for each gate.
    clearExpiredByTimeout: false,
    insuranceLimiter: alone,
  });
}
