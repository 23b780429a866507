// Arrival numbers of submissions, and when those came.
import { firstAt } from "../ranges.ts";
import type { Engine } from "./engine.ts";

export type Arrivals = ReturnType<typeof makeArrivals>;

export function makeArrivals({ prepare, read }: Engine) {
  const last = prepare<{ last: number }>("SELECT coalesce(max(arrival), 0) AS last FROM submission");
  const receivedAt = prepare<{ at: number }>(
    "SELECT received_at AS at FROM submission WHERE arrival >= $1 ORDER BY arrival LIMIT 1",
  );

  const findLast = async (): Promise<number> => (await read(last()))[0]?.last ?? 0;

  /** When the first submission at or behind an arrival number came; null: there is none. */
  const timeAt = async (arrival: number): Promise<number | null> => (await read(receivedAt(arrival)))[0]?.at ?? null;

  return {
    findLast,
    timeAt,
    /** The first arrival number received at or after an instant. */
    firstSince: async (instant: number): Promise<number> => firstAt(instant, await findLast(), timeAt),
  };
}
