// Where calls are counted: in this process, or in a database together with other processes.
import { createRequire } from "node:module";
import type {
  IRateLimiterOptions,
  RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
} from "rate-limiter-flexible";
import { type CallCounts, callCountTable } from "../../storage/call-counts.ts";

type Class<Options, Limiter> = new (options: Options) => Limiter;

const require = createRequire(import.meta.url);
// Not the package's entry, which loads an adapter for every database there is: 9 MB and 25 ms at each start.
const load = (name: string): unknown => require(`rate-limiter-flexible/lib/${name}.js`);

interface Limit {
  /** Keeps the counts of one limiter apart from those of others. */
  readonly keyPrefix: string;
  readonly points: number;
  /** Seconds. */
  readonly duration: number;
}

/** Counts in this process. */
export function countAlone(limit: Limit): RateLimiterMemory {
  const Memory = load("RateLimiterMemory") as Class<IRateLimiterOptions, RateLimiterMemory>;
  return new Memory(limit);
}

/**
 * Counts with other processes. While the shared counts cannot be reached it goes on counting by itself: whether submissions
 * can be stored then is for the store to say.
 */
export function countTogether(limit: Limit, shared: CallCounts): RateLimiterAbstract {
  const Postgres = load("RateLimiterPostgres") as typeof RateLimiterPostgres;
  return new Postgres({
    ...limit,
    storeClient: shared,
    storeType: "client",
    tableName: callCountTable,
    tableCreated: true,
    // Housekeeping forgets them; the library would keep a timer for each limiter.
    clearExpiredByTimeout: false,
    insuranceLimiter: countAlone(limit),
  });
}
