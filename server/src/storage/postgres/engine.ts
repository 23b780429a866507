// PostgreSQL as the engine of what both engines run.
import { type Engine, type Query, queryOf, type Steps } from "../sql/engine.ts";
import type { Connections } from "./connections.ts";
import type { Reader } from "./session.ts";
import { prepared, type Statement } from "./statement.ts";

export const makeEngine = (connections: Connections): Engine => ({
  prepare<Row>(text: string) {
    const statement = prepared<Row>(text);
    return (...values) => queryOf<Row>(statement, values);
  },
  lock: (how) => how,
  along: () => "",
  among: (column, parameter, type = "text") => `${column} = ANY (${parameter}::${type}[])`,
  // As an array: the planner then uses the index.
  chosen: (column, select) => `${column} = ANY (ARRAY (${select} FOR UPDATE SKIP LOCKED))`,
  read: (query) => rowsOf(connections, query),
  write: <Row>({ statement, values }: Query<Row>) =>
    connections.write(statement as Statement<Row>, values, { repeatable: true }),
  transaction: (steps, options) => connections.transaction((session) => runSteps(session, steps()), options),
  settled: async () => {},
});

const rowsOf = <Row>(reader: Reader, { statement, values }: Query<Row>): Promise<Row[]> =>
  reader.all(statement as Statement<Row>, values);

async function runSteps<T>(reader: Reader, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await rowsOf(reader, step.value));
  return step.value;
}
