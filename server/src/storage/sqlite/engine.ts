// SQLite as the engine of what both engines run.
import type { SQLInputValue } from "node:sqlite";
import type { RunOptions } from "../commit-queue.ts";
import { type Facts, lookUpNames, lookUpOf, type Wanted } from "../rules/facts.ts";
import { type RowsToInsert, tableNames, tableOf, valuesByName, type ValuesOf, valuesOf } from "../rules/tables.ts";
import { type Engine, Query, type Ranges, type Steps, together, type Value } from "../sql/engine.ts";
import { retryWhileBusy } from "./errors.ts";
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
    const statement = connection.prepareAtFirstUse<SQLInputValue[], Row>(text.replaceAll("$", "?"));
    return (...values) => new Query<Row>(statement, values.map(inputOf));
  },
  prepareEach(text, values) {
    const all = runEach(connection.prepare(text.replaceAll("$", "?")), values);
    return (rows) => [new Query({ all }, [rows])];
  },
  unprepared: (text, values) => new Query(connection.prepareAtFirstUse(text.replaceAll("$", "?")), values.map(inputOf)),
  insert: prepareInsert(connection),
  locking: () => "",
  lockAddress: (_key, queries) => together(queries),
  indexedBy: (index) => (index === null ? "NOT INDEXED" : `INDEXED BY ${index}`),
  ranges,
  json: (column) => `CASE WHEN json_valid(${column}) THEN ${column} END`,
  elementsOf: (json) => `json_each(${json}) AS each`,
  byBytes: (text) => text,
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
  transaction:
    (steps, { waitMs = 0 } = {}) =>
    (...given) =>
      run(() => runSteps(steps(...given)[Symbol.iterator]()), { waitMs }),
});

/** The same engine, whose statements outside of transactions are read on a thread. */
export const readingBy = (engine: Engine, thread: ReadingThread): Engine => ({
  ...engine,
  read: <Row>({ statement, values }: Query<Row>) =>
    thread.all(statement as Statement<never, Row>, values) as Promise<Row[]>,
});

/** Prepares the look-ups of `rules/facts.ts`: each is run for each thing that it is asked for. */
export function prepareLookUp(connection: SqliteConnection): (wanted: Wanted, facts: Facts) => void {
  const finds = lookUpNames.map((name) => {
    const { wanted, text, findsOne, note } = lookUpOf(name);
    const values = valuesByName(Object.keys(wanted));
    const statement = connection.prepare<SQLInputValue[], object>(text.replaceAll("$", "?"));
    const find = (facts: Facts, things: readonly object[]) => {
      for (const thing of things) {
        if (findsOne) {
          const row = statement.get(...values(thing));
          if (row !== undefined) note(facts, row);
        } else for (const row of statement.all(...values(thing))) note(facts, row);
      }
    };
    return { name, find };
  });
  return (wanted, facts) => {
    for (const { name, find } of finds) find(facts, wanted[name]);
  };
}

function prepareInsert(connection: SqliteConnection): Engine["insert"] {
  const inserts = tableNames.map((name) => {
    const { columns, conflict } = tableOf(name);
    const values = valuesOf(name);
    // In the order of the values.
    const names = values(Object.fromEntries(Object.keys(columns).map((column) => [column, column])));
    const statement = connection.prepare<SQLInputValue[]>(`
      INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
      ${conflict === undefined ? "" : `ON CONFLICT ${conflict}`}`);
    return { name, insert: runEach(statement, values) };
  });
  const all = (rows: Partial<RowsToInsert>) => {
    for (const { name, insert } of inserts) insert(rows[name] ?? []);
    return [];
  };
  return (rows) => new Query({ all }, [rows]);
}

const runEach =
  <Row>(statement: Statement<SQLInputValue[], never>, values: ValuesOf<Row>) =>
  (rows: readonly Row[]): never[] => {
    for (const row of rows) statement.run(...values(row));
    return [];
  };

// A list is one parameter: its length then makes no other statement and meets no limit.
const inputOf = (value: Value): SQLInputValue =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

export const rowsOf = <Row>({ statement, values }: Query<Row>): Row[] =>
  (statement as Statement<SQLInputValue[], Row>).all(...(values as SQLInputValue[]));

/** Runs steps within the transaction of a job. */
function runSteps<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value.map(rowsOf));
  return step.value;
}
