// The queries about applications and their resumes that every engine runs alike. Builds them and runs none.
import { sql } from "kysely";
import type { ScanState } from "../records.ts";
import { resumeColumns } from "../rows/applications.ts";
import type { Queries } from "./compile.ts";
import { receivedQueries } from "./received.ts";

export const applicationQueries = (queries: Queries) => ({
  ...receivedQueries(queries, "application"),

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
