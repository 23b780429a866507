// PostgreSQL as the engine of what both engines run.
import { type AnswersOf, type Engine, type QueriesOf, Query, type Steps } from "../sql/engine.ts";
import { type Facts, type LookUp, lookUpNames, lookUpOf, type Wanted } from "../rules/facts.ts";
import { type TableName, tableNames, tableOf } from "../rules/tables.ts";
import type { Connections } from "./connections.ts";
import { prepareLastComplete } from "./last-complete.ts";
import type { Reader, Session } from "./session.ts";
import { prepared, rowsAs, type Statement } from "./statement.ts";

/** The number of the lock of an address, a key or a challenge. What is read behind it stays true until the transaction ends. */
export const lockOf = (name: string): string => `hashtextextended(${name}, 0)`;

const lockAddress = prepared(`SELECT pg_advisory_xact_lock(${lockOf("$1::text")})`);

/** A statement of this engine's own, for a transaction. */
export const query = <Row>(statement: Statement<Row>, ...values: unknown[]): Query<Row> => new Query(statement, values);

// A list whose rows are rare passes over the others in several statements: one that took too long would be ended. Words are
// found by their index, whatever the range.
const ranges: Engine["ranges"] = {
  width: 50_000,
  // A word that fills no page among these is rare enough for the index of words.
  searchWidth: 20_000,
  widthAfter(width, tookMs, isSearch) {
    if (isSearch) return Infinity;
    return tookMs < 100 ? width * 4 : width;
  },
  workMsMax: 1_000,
};

const withValues = "SET LOCAL plan_cache_mode = force_custom_plan";
const withoutSorting =
  "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off";

export const settingsFor = (order: "index" | "any"): string =>
  order === "index" ? `${withValues}; ${withoutSorting}` : withValues;

export const makeEngine = (connections: Connections): Engine => ({
  prepare<Row>(text: string) {
    const statement = prepared<Row>(text);
    return (...values) => query(statement, ...values);
  },
  prepareEach(text, values) {
    const statement = prepared(text);
    return (rows) => rows.map((row) => query(statement, ...values(row)));
  },
  unprepared: (text, values, order) => new Query({ text, settings: settingsFor(order) } satisfies Statement, values),
  insert: (rows) => insertOf((name) => rows[name] ?? []),
  locking: (how) => how,
  // A statement sees what was committed before it begins: those behind the lock see what its last holder changed.
  *lockAddress<Rows extends readonly unknown[]>(key: string, queries: QueriesOf<Rows>) {
    const [, ...rows] = yield [query(lockAddress, key), ...queries];
    return rows as AnswersOf<Rows>;
  },
  indexedBy: () => "",
  ranges,
  // No release that we support has a test for JSON that takes all texts. A text that was cut off has no end.
  json: (column) => `CASE WHEN ${column} LIKE '{%}' THEN ${column}::jsonb END`,
  elementsOf: (json) => `jsonb_array_elements_text(${json}) AS each (value)`,
  byBytes: (text) => `${text} COLLATE "C"`,
  among: (column, parameter, type = "text") => `${column} = ANY (${parameter}::${type}[])`,
  rowId: () => "ctid",
  // As an array: the planner then uses the index.
  amongUnlocked: (column, select) => `${column} = ANY (ARRAY (${select} FOR UPDATE SKIP LOCKED))`,
  lastComplete: (table, number) => prepareLastComplete(connections, table, number),
  read<Row>(one: Query<Row>) {
    const { settings } = one.statement as Statement;
    if (settings === undefined) return rowsOf(connections, one);
    // In this order: the settings are there before the statement is planned.
    const work = async (session: Session) => (await Promise.all([session.script(settings), rowsOf(session, one)]))[1];
    return connections.transaction(work, { repeatable: true });
  },
  write: <Row>({ statement, values }: Query<Row>) =>
    connections.write(statement as Statement<Row>, values, { repeatable: true }),
  transaction:
    (steps, options) =>
    (...given) =>
      connections.transaction((session) => runSteps(session, steps(...given)[Symbol.iterator]()), options),
});

/** A part of a statement that is about some rows. */
interface Part<Name> {
  readonly name: Name;
  /** @param parameter number of the parameter that has its rows */
  text(parameter: number): string;
}

const lookUpParts = lookUpNames.map((name): Part<LookUp> => {
  const { wanted: columns, text } = lookUpOf(name);
  const names = Object.keys(columns);
  const one = text.replaceAll(/\$(\d)/g, (_, number: string) => `wanted.${names[Number(number) - 1]}`);
  return {
    name,
    text: (parameter) => `
      SELECT '${name}' AS name, row_to_json(found) AS row
      FROM ${rowsAs("wanted", columns, parameter)}, LATERAL (${one}) AS found`,
  };
});

const insertParts = tableNames.map((name): Part<TableName> => {
  const { columns, conflict } = tableOf(name);
  return {
    name,
    text: (parameter) => `new_${name} AS (
      INSERT INTO ${name} (${Object.keys(columns).join(", ")}) SELECT * FROM ${rowsAs("new", columns, parameter)}
      ${conflict === undefined ? "" : `ON CONFLICT ${conflict}`})`,
  };
});

const findOf = ofParts<LookUp, { readonly name: LookUp; readonly row: object }>(lookUpParts, (texts) =>
  texts.join(" UNION ALL "),
);
const insertOf = ofParts<TableName, never>(insertParts, (texts) => `WITH ${texts.join(", ")} SELECT`);

/** A statement of those parts that there are rows for: a batch seldom needs all. Each choice is prepared once. */
function ofParts<Name extends string, Row>(
  parts: readonly Part<Name>[],
  whole: (texts: readonly string[]) => string,
): (rowsFor: (name: Name) => readonly object[]) => Query<Row> {
  const nameOf = (some: readonly Part<Name>[]) => some.map(({ name }) => name).join();
  const prepareOf = (some: readonly Part<Name>[]) => prepared<Row>(whole(some.map(({ text }, at) => text(at + 1))));
  const statements = new Map([[nameOf(parts), prepareOf(parts)]]);
  return (rowsFor) => {
    const needed = parts.filter(({ name }) => rowsFor(name).length > 0);
    const statement = statements.get(nameOf(needed)) ?? prepareOf(needed);
    statements.set(nameOf(needed), statement);
    return query(statement, ...needed.map(({ name }) => JSON.stringify(rowsFor(name))));
  };
}

/** Runs the look-ups of `rules/facts.ts`, all of them in one statement. */
export async function lookUp(reader: Reader, wanted: Wanted, facts: Facts): Promise<void> {
  for (const { name, row } of await rowsOf(
    reader,
    findOf((one) => wanted[one]),
  ))
    lookUpOf(name).note(facts, row);
}

export const rowsOf = <Row>(reader: Reader, { statement, values }: Query<Row>): Promise<Row[]> =>
  reader.all(statement as Statement<Row>, values);

async function runSteps<T>(reader: Reader, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await Promise.all(step.value.map((one) => rowsOf(reader, one))));
  return step.value;
}
