// Builds SQL and never runs it: kysely with a driver that does nothing, for the text and the parameters of typed queries.
// Engines run what it compiles in their own ways. Knows no engine and no table.
import { type CompiledQuery, type Dialect, DummyDriver, Kysely } from "kysely";
import type { Database } from "../schema.ts";

/** Builds queries in the dialect of one engine. */
export type Queries = Kysely<Database>;

/** What an engine says about its dialect. */
export type DialectParts = Omit<Dialect, "createDriver">;

export function createQueries(dialect: DialectParts): Queries {
  return new Kysely<Database>({ dialect: { ...dialect, createDriver: () => new DummyDriver() } });
}

// Stands for a value while a statement is compiled; never reaches a database.
class Slot {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * A statement or query compiled at once, for other values each time: compiling costs more than most of them take to run.
 * `build` is called with a stand-in for each value and must put it where the value belongs, not look at it.
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
