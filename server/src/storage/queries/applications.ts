// The queries about applications and their resumes that every engine runs alike. Builds them and runs none.
import { sql } from "kysely";
import type { Position } from "../pages.ts";
import type { ScanState } from "../records.ts";
import { resumeColumns } from "../rows/applications.ts";
import type { Queries } from "./compile.ts";

export const applicationQueries = (queries: Queries) => ({
  find: (reference: string) =>
    queries.selectFrom("application").selectAll().where("reference", "=", reference).compile(),

  /** Changes a row only if it is spam. */
  release: (reference: string) =>
    queries
      .updateTable("application")
      .set({ status: "new" })
      .where("reference", "=", reference)
      .where("status", "=", "spam")
      .compile(),

  page: (after: Position, limit: number) =>
    queries
      .selectFrom("application")
      .selectAll()
      .where(({ eb, refTuple, tuple }) => eb(refTuple("received_at", "reference"), ">", tuple(after.at, after.key)))
      .orderBy("received_at")
      .orderBy("reference")
      .limit(limit)
      .compile(),

  findResume: (reference: string) =>
    queries
      .selectFrom("application")
      .select([...resumeColumns, "resume_scan"])
      .where("reference", "=", reference)
      .compile(),

  unscanned: (limit: number) =>
    queries
      .selectFrom("application")
      .select(["reference", "resume_key as key"])
      // Written into the text: only then the planner uses the partial index.
      .where("resume_scan", "=", sql.lit<ScanState>("unscanned"))
      .orderBy("received_at")
      .limit(limit)
      .compile(),

  recordScan: (key: string, verdict: "clean" | "infected") =>
    queries.updateTable("application").set({ resume_scan: verdict }).where("resume_key", "=", key).compile(),
});
