// What the vault and the scanner ask about resumes.
import type { Store } from "../store.ts";
import type { Engine } from "./engine.ts";

export function makeResumes({ prepare, among, amongUnlocked, read, write }: Engine) {
  // A lease that ends later than this one would was taken by a clock that was ahead.
  const claim = prepare<{ arrival: number; reference: string; key: string }>(`
    UPDATE submission SET resume_lease_until = $3 WHERE ${amongUnlocked(
      "arrival",
      `SELECT arrival FROM submission
      WHERE resume_scan = 'unscanned'
        AND (resume_lease_until IS NULL OR resume_lease_until <= $1 OR resume_lease_until > $3)
      ORDER BY arrival LIMIT $2`,
    )} RETURNING arrival, reference, resume_key AS key`);
  const record = prepare("UPDATE submission SET resume_scan = $2, resume_lease_until = NULL WHERE resume_key = $1");
  // The index has only rows with a resume. IS NOT NULL lets the planner use it.
  const known = prepare<{ key: string }>(
    `SELECT resume_key AS key FROM submission WHERE ${among("resume_key", "$1")} AND resume_key IS NOT NULL`,
  );
  return {
    async claimUnscanned(now, limit, until) {
      // The second time, what was claimed by a lost answer is claimed again later.
      const claimed = await write(claim(now, limit, until));
      // RETURNING promises no order.
      return claimed.toSorted((a, b) => a.arrival - b.arrival).map(({ reference, key }) => ({ reference, key }));
    },

    async recordScan(key, verdict) {
      await write(record(key, verdict));
    },

    knownResumeKeys: async (keys) => new Set((await read(known(keys))).map(({ key }) => key)),
  } satisfies Partial<Store>;
}
