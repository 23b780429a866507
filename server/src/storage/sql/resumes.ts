// What the vault and the scanner ask about resumes, and about files of answers and replies, which are kept as resumes are.
import type { Store } from "../store.ts";
import type { Engine } from "./engine.ts";
import { inPages, pageRows } from "../pages.ts";
import type { FileOf, InboundStore, KeptFile, StoredFile } from "../inbound-store.ts";

type FileRow = KeptFile & { readonly id: number };

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
  const erased = knownTo("erased_resume", "resume_key");
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

    async knownResumeKeys(keys, orErased = false) {
      const found = (await Promise.all(known.map((of) => read(of(keys))))).flat();
      // Read last: what is erased meanwhile is among these.
      if (orErased) found.push(...(await read(erased(keys))));
      return new Set(found.map(({ key }) => key));
    },
  } satisfies Partial<Store>;
}

export function makeKeptFiles({ prepare, among, read }: Engine) {
  const statementsOf = (of: FileOf, more: string) => {
    const file = `${of}_file`;
    const joins = `${file} JOIN ${of} ON ${of}.id = ${file}.${of} JOIN submission ON arrival = ${of}.submission`;
    const columns = `reference, file_key AS key, ${file}.sha256`;
    return {
      // Those that are not sent, too.
      next: prepare<FileRow>(`
        SELECT ${file}.id, ${columns} FROM ${of === "reply" ? `${file} JOIN submission ON arrival = submission` : joins}
        WHERE ${file}.id > $1 AND file_key IS NOT NULL ORDER BY ${file}.id LIMIT ${pageRows}`),
      one: prepare<StoredFile>(`
        SELECT ${columns}, ${file}.name, ${file}.size, ${more} FROM ${joins}
        WHERE ${file}.id = $1 AND file_key IS NOT NULL AND ${among("submission.kind", "$2")}`),
    };
  };
  const statements = {
    answer: statementsOf("answer", "answer_file.kind, scan"),
    // An operator's own: it is not scanned, and has the name that it was given.
    reply: statementsOf("reply", "NULL AS kind, 'clean' AS scan"),
  };
  return {
    async *readFiles() {
      for (const { next } of Object.values(statements)) yield* inPages<FileRow>((last) => read(next(last?.id ?? 0)));
    },

    findFile: async ({ kinds }, of, id) => (await read(statements[of].one(id, kinds)))[0] ?? null,
  } satisfies Partial<InboundStore>;
}
