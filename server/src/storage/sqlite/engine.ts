// SQLite as the engine of what both engines run.
import { type Engine, type Query, queryOf, type Steps, type Value } from "../sql/engine.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection, Statement } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

export const makeEngine = (connection: SqliteConnection, run: RunJob): Engine => ({
  prepare<Row>(text: string) {
    const statement = connection.prepare<Value[], Row>(text.replaceAll("$", "?"));
    return (...values) => queryOf<Row>(statement, values);
  },
  lock: () => "",
  chosen: (column, select) => `${column} IN (${select})`,
  read: (query) => retryWhileBusy(() => rowsOf(query)),
  write: (query) => run(() => rowsOf(query)),
  transaction: (steps) => run(() => runSteps(steps())),
});

const rowsOf = <Row>({ statement, values }: Query<Row>): Row[] => (statement as Statement<Value[], Row>).all(...values);

function runSteps<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next(rowsOf(step.value));
  return step.value;
}
