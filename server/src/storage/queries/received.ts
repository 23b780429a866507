// The queries that every engine runs alike about inquiries and about applications: the two tables that have references.
// Builds them and runs none.
import type { CompiledQuery } from "kysely";
import type { Position } from "../pages.ts";
import type { Database } from "../schema.ts";
import type { Queries } from "./compile.ts";

export function receivedQueries<Table extends "inquiry" | "application">(queries: Queries, table: Table) {
  // Every column that is named here is in both.
  const either = table as "inquiry";
  const all = () => queries.selectFrom(either).selectAll();
  type Rows = CompiledQuery<Database[Table]>;
  return {
    find: (reference: string) => all().where("reference", "=", reference).compile() as unknown as Rows,

    /** Changes a row only if it is spam. */
    release: (reference: string) =>
      queries
        .updateTable(either)
        .set({ status: "new" })
        .where("reference", "=", reference)
        .where("status", "=", "spam")
        .compile(),

    page: (after: Position, limit: number) =>
      all()
        .where(({ eb, refTuple, tuple }) => eb(refTuple("received_at", "reference"), ">", tuple(after.at, after.key)))
        .orderBy("received_at")
        .orderBy("reference")
        .limit(limit)
        .compile() as unknown as Rows,
  };
}
