// How many references of a day are taken. Runs inside a transaction of the commit queue.
import { referencesPerDay } from "@submissions/shared/reference";
import type { SubmissionKind } from "../records.ts";
import type { SqliteConnection } from "./connection.ts";

/** The counters of the days. One transaction reads and writes each of them once. */
export function prepareDayCounters(connection: SqliteConnection) {
  const read = connection.prepare<[SubmissionKind, number], { taken: number }>(
    "SELECT taken FROM day_counter WHERE kind = ? AND day = ?",
  );
  const write = connection.prepare<[SubmissionKind, number, number]>(
    "INSERT INTO day_counter (kind, day, taken) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET taken = ?3",
  );
  const taken = { inquiry: new Map<number, number>(), application: new Map<number, number>() };
  const forget = () => {
    taken.inquiry.clear();
    taken.application.clear();
  };
  return {
    begin: forget,
    /** The next counter of a day and kind, from 0; null when all are taken. */
    take(kind: SubmissionKind, day: number): number | null {
      const counter = taken[kind].get(day) ?? read.get(kind, day)?.taken ?? 0;
      if (counter >= referencesPerDay) return null;
      taken[kind].set(day, counter + 1);
      return counter;
    },
    end(): void {
      for (const kind of ["inquiry", "application"] as const) {
        for (const [day, count] of taken[kind]) write.run(kind, day, count);
      }
    },
  };
}
