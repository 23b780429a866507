// Builds SQL and never runs it: kysely with a driver that does nothing, for the text and the parameters of typed
// queries. What it compiles runs synchronously on the connection, within one transaction that nothing can interrupt.
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Database } from "../schema.ts";
import type { SqliteConnection } from "./connection.ts";

export type Queries = Kysely<Database>;

export function createQueries(): Queries {
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

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

// Stands for a value while a statement is compiled; never reaches SQLite.
class Slot {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * A statement or query compiled at once, for other values each time. `build` is called with a stand-in for each value
 * and must put it where the value belongs, not look at it.
 */
export function compileOnce<Values extends object, Row>(
  names: readonly (keyof Values)[],
  build: (slots: Values) => { compile(): CompiledQuery<Row> },
): (values: Values) => CompiledQuery<Row> {
  const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)])) as Values;
  const compiled = build(slots).compile();
  return (values) => ({
    ...compiled,
    parameters: compiled.parameters.map((value) =>
      value instanceof Slot ? values[value.name as keyof Values] : value,
    ),
  });
}
