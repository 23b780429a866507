// SQLite as the engine of what both engines run.
import type { SQLInputValue } from "node:sqlite";
import type { RunOptions } from "../commit-queue.ts";
import { type FoundRow, lookUpNames, lookUps, type Wanted } from "../rules/facts.ts";
import { type RowsToInsert, tableNames, tableOf } from "../rules/tables.ts";
import { type Engine, type Query, queryOf, type Ranges, type Steps, together, type Value } from "../sql/engine.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection, Statement } from "./connection.ts";
import type { ReadingThread } from "./reading-thread.ts";

/** Runs a job in the next transaction, and again if that has to be undone because of another one. */
export type RunJob = <T>(job: () => T, options?: RunOptions) => Promise<T>;

/** Other lists wait while a statement runs, so each looks at few rows, and at more as long as that is quick. */
const ranges: Ranges = {
  // Nearly every page is found in it.
  width: 2_000,
  // Each range looks its words up again.
  searchWidth: 50_000,
  widthAfter: (width, tookMs) => (tookMs < 4 ? width * 4 : width),
  workMsMax: 400,
};

export const makeEngine = (connection: SqliteConnection, run: RunJob): Engine => ({
  prepare<Row>(text: string) {
    const statement = connection.prepare<SQLInputValue[], Row>(text.replaceAll("$", "?"));
    return (...values) => queryOf<Row>(statement, values.map(inputOf));
  },
  unprepared(text, values) {
    const sourceSQL = text.replaceAll("$", "?");
    const all = (...inputs: SQLInputValue[]) => connection.prepare(sourceSQL).all(...inputs);
    return queryOf({ sourceSQL, all }, values.map(inputOf));
  },
  lookUp: prepareLookUp(connection),
  insert: prepareInsert(connection),
  locking: () => "",
  lockAddress: (_key, queries) => together(queries),
  indexedBy: (index) => (index === null ? "NOT INDEXED" : `INDEXED BY ${index}`),
  ranges,
  json: (column) => `CASE WHEN json_valid(${column}) THEN ${column} END`,
  elementsOf: (json) => `json_each(${json}) AS each`,
  among: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  rowId: (key) => key,
  amongUnlocked: (column, select) => `(${column}) IN (${select})`,
  // Transactions come one after the other. The last number is known where the page of the last row is damaged, too.
  lastComplete(table) {
    const last = connection.prepare<[string], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = ?");
    return () => retryWhileBusy(() => last.get(table)?.seq ?? 0);
  },
  read: (query) => retryWhileBusy(() => rowsOf(query)),
  write: (query) => run(() => rowsOf(query)),
  transaction: (steps, { waitMs = 0 } = {}) => run(() => runSteps(steps()), { waitMs }),
});

/** The same engine, whose statements outside of transactions are read on a thread. */
export const readingBy = (engine: Engine, thread: ReadingThread): Engine => ({
  ...engine,
  read: <Row>({ statement, values }: Query<Row>) =>
    thread.all(statement as Statement<never, Row>, values) as Promise<Row[]>,
});

function prepareLookUp(connection: SqliteConnection): Engine["lookUp"] {
  const finds = lookUpNames.map((name) => {
    const { wanted, text } = lookUps[name];
    const statement = connection.prepare<SQLInputValue[], object>(text.replaceAll("$", "?"));
    return { name, statement, valuesOf: takeValues(Object.keys(wanted)) };
  });
  const all = (wanted: Wanted) =>
    finds.flatMap(({ name, statement, valuesOf }) =>
      wanted[name].flatMap((thing) => statement.all(...valuesOf(thing)).map((row) => ({ name, row }) as FoundRow)),
    );
  return (wanted) => queryOf({ all }, [wanted]);
}

function prepareInsert(connection: SqliteConnection): Engine["insert"] {
  const inserts = tableNames.map((name) => {
    const { columns, conflict } = tableOf(name);
    const names = Object.keys(columns);
    const statement = connection.prepare<SQLInputValue[]>(`
      INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
      ${conflict === undefined ? "" : `ON CONFLICT ${conflict}`}`);
    return { name, statement, valuesOf: takeValues(names) };
  });
  const all = (rows: Partial<RowsToInsert>) => {
    for (const { name, statement, valuesOf } of inserts) {
      for (const row of rows[name] ?? []) statement.run(...valuesOf(row));
    }
    return [];
  };
  return (rows) => queryOf({ all }, [rows]);
}

const takeValues = (names: readonly string[]) => (row: object) =>
  names.map((name) => (row as Readonly<Record<string, SQLInputValue>>)[name] ?? null);

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
