// SQLite's dialect for the queries, and what its modules are handed. What is compiled runs synchronously on the connection,
// within one transaction that nothing can interrupt.
import { type CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { DialectParts, Queries } from "../queries/compile.ts";
import type { SqliteConnection } from "./connection.ts";

export const sqliteDialect: DialectParts = {
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (database) => new SqliteIntrospector(database),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

/** What the modules of this engine are handed. */
export interface Engine {
  readonly connection: SqliteConnection;
  readonly queries: Queries;
}

/**
 * An INSERT of one whole row, compiled when the first row comes and reused for the others: compiling costs more than
 * inserting. All rows must have the same keys. Answers whether the row was stored, false on a conflict it ignores.
 */
export function insertOf<Row extends object>(
  connection: SqliteConnection,
  build: (row: Row) => { compile(): CompiledQuery },
): (row: Row) => boolean {
  let compiled: { readonly sql: string; readonly keys: readonly (keyof Row)[] } | undefined;
  return (row) => {
    compiled ??= { sql: build(row).compile().sql, keys: Object.keys(row) as (keyof Row)[] };
    return connection.run({ sql: compiled.sql, parameters: compiled.keys.map((key) => row[key]) }) === 1;
  };
}
