// What the vault and the scanner ask about resumes.
import type { Store } from "../store.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

export function makeResumes(connection: SqliteConnection, run: RunJob) {
  const unscanned = connection.prepare<[number, number], { arrival: number; reference: string; key: string }>(`
    SELECT arrival, reference, resume_key AS key FROM submission
    WHERE resume_scan = 'unscanned' AND (resume_lease_until IS NULL OR resume_lease_until <= ?)
    ORDER BY arrival LIMIT ?`);
  const lend = connection.prepare<[number, number]>("UPDATE submission SET resume_lease_until = ? WHERE arrival = ?");
  const record = connection.prepare<["clean" | "infected", string]>(
    "UPDATE submission SET resume_scan = ?, resume_lease_until = NULL WHERE resume_key = ?",
  );
  // The list is one parameter: its length then makes no other statement and meets no limit.
  const known = connection.prepare<[string], { key: string }>(
    "SELECT resume_key AS key FROM submission WHERE resume_key IN (SELECT value FROM json_each(?))",
  );
  return {
    claimUnscanned: (now, limit, until) =>
      run(() => {
        const claimed = unscanned.all(now, limit);
        for (const { arrival } of claimed) lend.run(until, arrival);
        return claimed.map(({ reference, key }) => ({ reference, key }));
      }),

    recordScan: (key, verdict) => run(() => void record.run(verdict, key)),

    knownResumeKeys: (keys) => retryWhileBusy(() => new Set(known.all(JSON.stringify(keys)).map(({ key }) => key))),
  } satisfies Partial<Store>;
}
