// What the vault and the scanner ask about resumes.
import type { Store } from "../store.ts";
import type { Connections } from "./connections.ts";
import { prepared } from "./statement.ts";

// What another process is claiming at this moment is not waited for.
const claim = prepared<{ arrival: number; reference: string; key: string }>(`
  UPDATE submission SET resume_lease_until = $3 WHERE arrival = ANY (ARRAY (
    SELECT arrival FROM submission
    WHERE resume_scan = 'unscanned' AND (resume_lease_until IS NULL OR resume_lease_until <= $1)
    ORDER BY arrival LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING arrival, reference, resume_key AS key`);

const record = prepared("UPDATE submission SET resume_scan = $2, resume_lease_until = NULL WHERE resume_key = $1");

// The index has only rows with a resume. IS NOT NULL tells the planner that it may use it.
const known = prepared<{ key: string }>(
  "SELECT resume_key AS key FROM submission WHERE resume_key = ANY ($1::text[]) AND resume_key IS NOT NULL",
);

export const makeResumes = (connections: Connections) =>
  ({
    async claimUnscanned(now, limit, until) {
      // Repeatable: what was claimed by a lost answer is claimed again later.
      const claimed = await connections.write(claim, [now, limit, until], { repeatable: true });
      // RETURNING promises no order.
      return claimed.toSorted((a, b) => a.arrival - b.arrival).map(({ reference, key }) => ({ reference, key }));
    },

    async recordScan(key, verdict) {
      await connections.write(record, [key, verdict], { repeatable: true });
    },

    knownResumeKeys: async (keys) => new Set((await connections.all(known, [keys])).map(({ key }) => key)),
  }) satisfies Partial<Store>;
