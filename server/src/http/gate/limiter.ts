// Where calls are counted: in this process, or in a database together with other processes.
import { createRequire } from "node:module";
import type { IRateLimiterOptions, RateLimiterMemory } from "rate-limiter-flexible";
import type { CallCounts } from "../../storage/call-counts.ts";
import { StorageUnavailable } from "../../storage/store.ts";

const require = createRequire(import.meta.url);
// Not the package's entry, which loads an adapter for every database there is: 9 MB and 25 ms at each start.
const Memory = require("rate-limiter-flexible/lib/RateLimiterMemory.js") as new (
  options: IRateLimiterOptions,
) => RateLimiterMemory;

interface Limit {
  /** Keeps the counts of one gate apart from those of others. */
  readonly name: string;
  readonly max: number;
  readonly windowSeconds: number;
}

/** What a client did in the window that is open. */
export interface Counted {
  readonly calls: number;
  readonly msLeft: number;
}

export interface Limiter {
  /** Counts calls, also beyond the limit, which moves no window. Answers all of the window. */
  count(client: string, calls: number): Promise<Counted>;
}

/** The library's counts in this process. */
export const countsInMemory = ({ name, max, windowSeconds }: Limit): RateLimiterMemory =>
  new Memory({ keyPrefix: name, points: max, duration: windowSeconds });

/** Counts in this process. */
export function countAlone(limit: Limit): Limiter {
  const memory = countsInMemory(limit);
  return {
    async count(client, calls) {
      // Unlike `consume` it rejects nothing.
      const { consumedPoints, msBeforeNext } = await memory.penalty(client, calls);
      return { calls: consumedPoints, msLeft: msBeforeNext };
    },
  };
}

/**
 * Counts with other processes. While the shared counts cannot be reached it goes on counting by itself: whether submissions
 * can be stored then is for the store to say.
 */
export function countTogether(limit: Limit, shared: CallCounts): Limiter {
  const alone = countAlone(limit);
  const windowMs = limit.windowSeconds * 1000;
  return {
    async count(client, calls) {
      try {
        const counted = await shared.count({ key: `${limit.name}:${client}`, calls, windowMs });
        return { calls: counted.calls, msLeft: Math.max(0, counted.endsAt - Date.now()) };
      } catch (error) {
        if (error instanceof StorageUnavailable) return alone.count(client, calls);
        throw error;
      }
    },
  };
}
