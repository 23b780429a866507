// PostgreSQL's dialect for the queries, and inserts of many rows in one statement. Runs nothing.
import {
  type CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import type { DialectParts, Queries } from "../queries/compile.ts";
import type { Database } from "../schema.ts";
import type { Session } from "./connections.ts";

export const postgresDialect: DialectParts = {
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (database) => new PostgresIntrospector(database),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};

/** A condition on a column: that it is one of many values, which are one parameter. */
export const anyOf = (values: readonly string[]) => sql<string>`any(${values}::text[])`;

/** Rows of a table as one parameter, to be read like a table. Columns that they lack are null in it. */
export const rowsOf = <Table extends keyof Database>(table: Table, rows: readonly Partial<Database[Table]>[]) =>
  sql`json_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(rows)}::json)`;

/** An INSERT of any number of rows, at least one. All have the same keys, but perhaps not all columns of the table. */
export function insertAll<Table extends keyof Database>(
  queries: Queries,
  table: Table,
  rows: readonly Database[Table][],
  ending: RawBuilder<unknown> = sql``,
): CompiledQuery {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
  const source = rowsOf(table, rows);
  return sql`INSERT INTO ${sql.table(table)} (${columns}) SELECT ${columns} FROM ${source} ${ending}`.compile(queries);
}

/**
 * Inserts those of the rows whose key nobody has, and answers which. They are inserted in the order of their keys, as
 * everywhere: a transaction waits for another one that inserts the same key, and they must not wait for each other.
 *
 * @param onConflict what happens to a row whose key is taken; only what was written counts as inserted
 */
export async function insertNew<Table extends keyof Database>(
  queries: Queries,
  session: Session,
  table: Table,
  key: readonly (keyof Database[Table] & string)[],
  rows: readonly Database[Table][],
  onConflict: RawBuilder<unknown> = sql`DO NOTHING`,
): Promise<ReadonlySet<Database[Table]>> {
  if (rows.length === 0) return new Set();
  const keyOf = (row: Database[Table]) => key.map((column) => row[column]).join(" ");
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const ordered = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const ending = sql`ON CONFLICT (${columns}) ${onConflict} RETURNING ${columns}`;
  const inserted = await session.all<Database[Table]>(
    insertAll(queries, table, ordered, ending) as CompiledQuery<never>,
  );
  return new Set(inserted.flatMap((row) => byKey.get(keyOf(row)) ?? []));
}
