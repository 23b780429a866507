// PostgreSQL as the engine of what both engines run.
import { type AnswersOf, type Engine, type QueriesOf, type Query, queryOf, type Steps } from "../sql/engine.ts";
import { lookUps } from "../rules/facts.ts";
import { tableOf } from "../rules/tables.ts";
import type { Connections } from "./connections.ts";
import { makeLastComplete } from "./last-complete.ts";
import type { Reader } from "./session.ts";
import { type Columns, prepared, rowsAs, type Statement, valuesOf } from "./statement.ts";

/** The number of the lock of an address, a key or a challenge. What is read behind it stays true until the transaction ends. */
export const lockOf = (name: string): string => `hashtextextended(${name}, 0)`;

const lockAddress = prepared(`SELECT pg_advisory_xact_lock(${lockOf("$1::text")})`);

/** A statement of this engine's own, for a transaction. */
export const query = <Row>(statement: Statement<Row>, ...values: unknown[]): Query<Row> => queryOf(statement, values);

/** @param primary the server that `connections` may be a standby of; null: it is the one that is written to */
export const makeEngine = (connections: Connections, primary: Connections | null): Engine => ({
  prepare<Row>(text: string) {
    const statement = prepared<Row>(text);
    return (...values) => query(statement, ...values);
  },
  // Places are counted from 1 there.
  lookUp(name) {
    const { wanted, text }: { wanted: Columns; text: string } = lookUps[name];
    const names = Object.keys(wanted);
    const one = text.replaceAll(/\$(\d)/g, (_, number: string) => `wanted.${names[Number(number) - 1]}`);
    const statement = prepared(`
      SELECT (wanted.place - 1)::integer AS place, found.*
      FROM ${rowsAs("wanted", wanted, 1, "place")}, LATERAL (${one}) AS found`);
    return (things) => query(statement, ...valuesOf(wanted, things));
  },
  insert(name) {
    const { columns, conflict } = tableOf(name);
    const statement = prepared(`
      INSERT INTO ${name} (${Object.keys(columns).join(", ")}) SELECT * FROM ${rowsAs("new", columns)}
      ${conflict === undefined ? "" : `ON CONFLICT ${conflict}`}`);
    return (rows) => query(statement, ...valuesOf(columns, rows));
  },
  locking: (how) => how,
  // A statement sees what was committed before it begins: those behind the lock see what its last holder changed.
  *lockAddress<Rows extends readonly unknown[]>(key: string, queries: QueriesOf<Rows>) {
    const [, ...rows] = yield [query(lockAddress, key), ...queries];
    return rows as AnswersOf<Rows>;
  },
  indexedBy: () => "",
  among: (column, parameter, type = "text") => `${column} = ANY (${parameter}::${type}[])`,
  rowId: () => "ctid",
  // As an array: the planner then uses the index.
  amongUnlocked: (column, select) => `${column} = ANY (ARRAY (${select} FOR UPDATE SKIP LOCKED))`,
  lastComplete: makeLastComplete(connections, primary),
  read: (one) => rowsOf(connections, one),
  write: <Row>({ statement, values }: Query<Row>) =>
    connections.write(statement as Statement<Row>, values, { repeatable: true }),
  transaction: (steps, options) => connections.transaction((session) => runSteps(session, steps()), options),
});

export const rowsOf = <Row>(reader: Reader, { statement, values }: Query<Row>): Promise<Row[]> =>
  reader.all(statement as Statement<Row>, values);

export async function runSteps<T>(reader: Reader, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await Promise.all(step.value.map((one) => rowsOf(reader, one))));
  return step.value;
}
