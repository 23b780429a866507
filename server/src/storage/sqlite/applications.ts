// Applications in SQLite, and what the vault asks about their resumes. Its functions run inside a transaction that the
// store has opened, or read.
import { sql } from "kysely";
import type { Position } from "../pages.ts";
import { applicationQueries } from "../queries/applications.ts";
import type { StoredApplication, StoredResume } from "../records.ts";
import { storedApplication, storedResume } from "../rows/applications.ts";
import type { ApplicationTable } from "../schema.ts";
import { type Engine, insertOf } from "./queries.ts";

export interface Applications {
  find(reference: string): StoredApplication | null;
  /** Answers false when it is no spam. */
  release(reference: string): boolean;
  /** Answers false when the reference is taken; nothing is stored then. */
  insert(row: ApplicationTable): boolean;
  readPage(after: Position, limit: number): readonly StoredApplication[];
  findResume(reference: string): StoredResume | null;
  unscanned(limit: number): { reference: string; key: string }[];
  recordScan(key: string, verdict: "clean" | "infected"): void;
  knownResumeKeys(keys: readonly string[]): ReadonlySet<string>;
}

export function applicationsOf({ connection, queries }: Engine): Applications {
  const query = applicationQueries(queries);
  return {
    insert: insertOf<ApplicationTable>(connection, (row) =>
      queries
        .insertInto("application")
        .values(row)
        .onConflict((conflict) => conflict.column("reference").doNothing()),
    ),
    find: (reference) => connection.all(query.find(reference)).map(storedApplication)[0] ?? null,
    release: (reference) => connection.run(query.release(reference)) === 1,
    readPage: (after, limit) => connection.all(query.page(after, limit)).map(storedApplication),
    findResume: (reference) => storedResume(connection.all(query.findResume(reference))[0]),
    unscanned: (limit) =>
      connection.all(query.unscanned(limit)).map(({ reference, key }) => ({ reference, key: key ?? "" })),
    recordScan: (key, verdict) => void connection.run(query.recordScan(key, verdict)),
    knownResumeKeys(keys) {
      // The list is one parameter, so that its length makes no new statement and meets no limit.
      const listed = sql<string>`(SELECT value FROM json_each(${JSON.stringify(keys)}))`;
      const known = queries.selectFrom("application").select("resume_key").where("resume_key", "in", listed);
      return new Set(connection.all(known.compile()).flatMap(({ resume_key: key }) => (key === null ? [] : [key])));
    },
  };
}
