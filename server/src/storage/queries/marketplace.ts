// The queries about inquiries that every engine runs alike. Builds them and runs none.
import type { Position } from "../pages.ts";
import type { Queries } from "./compile.ts";

export const inquiryQueries = (queries: Queries) => ({
  find: (reference: string) => queries.selectFrom("inquiry").selectAll().where("reference", "=", reference).compile(),

  /** Changes a row only if it is spam. */
  release: (reference: string) =>
    queries
      .updateTable("inquiry")
      .set({ status: "new" })
      .where("reference", "=", reference)
      .where("status", "=", "spam")
      .compile(),

  page: (after: Position, limit: number) =>
    queries
      .selectFrom("inquiry")
      .selectAll()
      .where(({ eb, refTuple, tuple }) => eb(refTuple("received_at", "reference"), ">", tuple(after.at, after.key)))
      .orderBy("received_at")
      .orderBy("reference")
      .limit(limit)
      .compile(),
});
