// The one query by which whole tables are read, on every engine. Builds it and runs none.
import { type CompiledQuery, sql } from "kysely";
import { type ArchivedTable, archivedKeys, type RowKey } from "../row-archive.ts";
import type { Database } from "../schema.ts";
import type { Queries } from "./compile.ts";

const columns = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));

/** A page of rows with all their columns, in the order of their keys. */
export function rowsAfter<Table extends ArchivedTable>(
  queries: Queries,
  table: Table,
  after: RowKey | null,
  limit: number,
): CompiledQuery<Database[Table]> {
  const key = columns(archivedKeys[table]);
  const place = after === null ? sql`` : sql`WHERE (${key}) > (${sql.join(after)})`;
  const page = sql<Database[Table]>`SELECT * FROM ${sql.table(table)} ${place} ORDER BY ${key} LIMIT ${limit}`;
  return page.compile(queries);
}
