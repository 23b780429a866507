// SQLite as the engine of what both engines run.
import type { SQLInputValue } from "node:sqlite";
import { type Engine, type Query, queryOf, type Steps, together, type Value } from "../sql/engine.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection, Statement } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

export const makeEngine = (connection: SqliteConnection, run: RunJob): Engine => ({
  prepare<Row>(text: string) {
    const statement = connection.prepare<SQLInputValue[], Row>(text.replaceAll("$", "?"));
    return (...values) => queryOf<Row>(statement, values.map(inputOf));
  },
  locking: () => "",
  lockAddress: (_key, queries) => together(queries),
  indexedBy: (index) => `INDEXED BY ${index}`,
  among: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  rowId: (key) => key,
  amongUnlocked: (column, select) => `(${column}) IN (${select})`,
  read: (query) => retryWhileBusy(() => rowsOf(query)),
  write: (query) => run(() => rowsOf(query)),
  transaction: (steps) => run(() => runSteps(steps())),
});

// A list is one parameter: its length then makes no other statement and meets no limit.
const inputOf = (value: Value): SQLInputValue =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

const rowsOf = <Row>({ statement, values }: Query<Row>): Row[] =>
  (statement as Statement<SQLInputValue[], Row>).all(...(values as SQLInputValue[]));

/** Runs steps within the transaction of a job. */
export function runSteps<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value.map(rowsOf));
  return step.value;
}
