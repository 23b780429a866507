// Applications in SQLite, and what the vault asks about their resumes. Its functions run inside a transaction that the
// store has opened, or read.
import { sql } from "kysely";
import type { ScanState, StoredApplication, StoredResume } from "../records.ts";
import { resumeColumns, resumeOf, storedApplication } from "../rows/applications.ts";
import type { ApplicationTable } from "../schema.ts";
import type { ReadPage } from "./pages.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface Applications {
  find(reference: string): StoredApplication | null;
  /** Answers false when it is no spam. */
  release(reference: string): boolean;
  /** Answers false when the reference is taken; nothing is stored then. */
  insert(row: ApplicationTable): boolean;
  readonly readPage: ReadPage<StoredApplication>;
  findResume(reference: string): StoredResume | null;
  unscanned(limit: number): { reference: string; key: string }[];
  recordScan(key: string, verdict: "clean" | "infected"): void;
  knownResumeKeys(keys: readonly string[]): ReadonlySet<string>;
}

export function applicationsOf({ connection, queries }: Engine): Applications {
  return {
    insert: insertOf<ApplicationTable>(connection, (row) =>
      queries
        .insertInto("application")
        .values(row)
        .onConflict((conflict) => conflict.column("reference").doNothing()),
    ),
    find(reference) {
      const found = queries.selectFrom("application").selectAll().where("reference", "=", reference);
      const [row] = connection.all(found.compile());
      return row === undefined ? null : storedApplication(row);
    },
    release(reference) {
      const spam = queries.updateTable("application").where("reference", "=", reference).where("status", "=", "spam");
      return connection.run(spam.set({ status: "new" }).compile()) === 1;
    },
    readPage(after, limit) {
      const page = queries
        .selectFrom("application")
        .selectAll()
        .where(({ eb, refTuple, tuple }) => eb(refTuple("received_at", "reference"), ">", tuple(after.at, after.key)))
        .orderBy("received_at")
        .orderBy("reference")
        .limit(limit);
      return connection.all(page.compile()).map(storedApplication);
    },
    findResume(reference) {
      const found = queries
        .selectFrom("application")
        .select([...resumeColumns, "resume_scan"])
        .where("reference", "=", reference);
      const [row] = connection.all(found.compile());
      const resume = row === undefined ? null : resumeOf(row);
      return resume === null ? null : { ...resume, scan: row?.resume_scan ?? "unscanned" };
    },
    unscanned(limit) {
      const waiting = queries
        .selectFrom("application")
        .select(["reference", "resume_key as key"])
        // Written into the text: only then SQLite uses the partial index.
        .where("resume_scan", "=", sql.lit<ScanState>("unscanned"))
        .orderBy("received_at")
        .limit(limit);
      return connection.all(waiting.compile()).map(({ reference, key }) => ({ reference, key: key ?? "" }));
    },
    recordScan(key, verdict) {
      const judged = queries.updateTable("application").set({ resume_scan: verdict }).where("resume_key", "=", key);
      connection.run(judged.compile());
    },
    knownResumeKeys(keys) {
      // The list is one parameter, so that its length makes no new statement and meets no limit.
      const listed = sql<string>`(SELECT value FROM json_each(${JSON.stringify(keys)}))`;
      const known = queries.selectFrom("application").select("resume_key").where("resume_key", "in", listed);
      return new Set(connection.all(known.compile()).flatMap(({ resume_key: key }) => (key === null ? [] : [key])));
    },
  };
}
