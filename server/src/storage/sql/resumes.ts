// What the vault and the scanner ask about resumes, and about files of answers and replies, which are kept as resumes are.
import type { Store } from "../store.ts";
import type { Engine } from "./engine.ts";

export function makeResumes({ prepare, among, amongUnlocked, read, write }: Engine) {
  // A lease that ends later than this one would was taken by a clock that was ahead.
  const unscanned = (table: string, key: string, scan: string, until: string) =>
    amongUnlocked(
      key,
      `SELECT ${key} FROM ${table}
      WHERE ${scan} = 'unscanned' AND (${until} IS NULL OR ${until} <= $1 OR ${until} > $3) ORDER BY ${key} LIMIT $2`,
    );
  const claim = prepare<{ arrival: number; reference: string; key: string }>(`
    UPDATE submission SET resume_lease_until = $3
    WHERE ${unscanned("submission", "arrival", "resume_scan", "resume_lease_until")}
    RETURNING arrival, reference, resume_key AS key`);
  const claimFiles = prepare<{ id: number; reference: string; key: string }>(`
    UPDATE answer_file SET lease_until = $3 WHERE ${unscanned("answer_file", "id", "scan", "lease_until")}
    RETURNING id, file_key AS key, (SELECT reference FROM answer JOIN submission ON arrival = answer.submission
      WHERE answer.id = answer_file.answer) AS reference`);
  const recordFile = prepare("UPDATE answer_file SET scan = $2, lease_until = NULL WHERE file_key = $1");
  const record = prepare("UPDATE submission SET resume_scan = $2, resume_lease_until = NULL WHERE resume_key = $1");
  // The indexes have only rows with a file. IS NOT NULL lets the planner use them.
  const knownTo = (table: string, column: string) =>
    prepare<{ key: string }>(`
      SELECT ${column} AS key FROM ${table} WHERE ${among(column, "$1")} AND ${column} IS NOT NULL`);
  const known = [
    knownTo("submission", "resume_key"),
    knownTo("answer_file", "file_key"),
    knownTo("reply_file", "file_key"),
  ];
  return {
    async claimUnscanned(now, limit, until) {
      // The second time, what was claimed by a lost answer is claimed again later.
      const claimed = await write(claim(now, limit, until));
      // RETURNING promises no order.
      const resumes = claimed.toSorted((a, b) => a.arrival - b.arrival);
      const left = limit - resumes.length;
      const files = left === 0 ? [] : (await write(claimFiles(now, left, until))).toSorted((a, b) => a.id - b.id);
      return [...resumes, ...files].map(({ reference, key }) => ({ reference, key }));
    },

    async recordScan(key, verdict) {
      await write(record(key, verdict));
      await write(recordFile(key, verdict));
    },

    async knownResumeKeys(keys) {
      const found = await Promise.all(known.map((of) => read(of(keys))));
      return new Set(found.flat().map(({ key }) => key));
    },
  } satisfies Partial<Store>;
}
