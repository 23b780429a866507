// What an engine is for statements and transactions that are the same on both. Their SQL is written once, with numbered
// parameters (`$1`). A transaction is a generator: it yields its queries and is given their rows. SQLite runs it to its end
// at once, PostgreSQL waits for each answer.
import type { RowsToInsert, ValuesOf } from "../rules/tables.ts";

/** A list is for {@link Engine.among}, or for a statement of the engine's own. */
export type Value = string | number | null | readonly (string | number | null)[];

/** A statement with its values. In a transaction, `yield*` runs it and gives its rows; without, it does not run. */
export class Query<Row> {
  /** As the engine has prepared it. */
  readonly statement: unknown;
  readonly values: readonly unknown[];

  /** To be used by an engine. */
  constructor(statement: unknown, values: readonly unknown[]) {
    this.statement = statement;
    this.values = values;
  }

  *[Symbol.iterator](): Steps<readonly Row[]> {
    const [rows] = yield [this];
    return rows as readonly Row[];
  }
}

export type QueriesOf<Rows extends readonly unknown[]> = readonly [...{ [At in keyof Rows]: Query<Rows[At]> }];

export type AnswersOf<Rows extends readonly unknown[]> = { readonly [At in keyof Rows]: readonly Rows[At][] };

/**
 * The steps of a transaction, each of one query or several. They may be run again from the beginning. A query that fails
 * ends them where they are: no `catch` or `finally` of theirs runs.
 */
export type Steps<T> = Generator<readonly Query<unknown>[], T, readonly (readonly unknown[])[]>;

/** How an engine divides a list into statements. */
export interface Ranges {
  /** Row numbers that the first statement of a list looks at. */
  readonly width: number;
  /** The same of a search for words, where each statement costs something of its own. */
  readonly searchWidth: number;
  widthAfter(width: number, tookMs: number, isSearch: boolean): number;
  /** After this much work a page is answered as far as it is found. */
  readonly workMsMax: number;
}

export interface Engine {
  prepare<Row = never>(text: string): (...values: Value[]) => Query<Row>;
  /** Prepares a statement that gives no rows, to be run for each of some rows. */
  prepareEach<Row>(text: string, values: ValuesOf<Row>): (rows: readonly Row[]) => readonly Query<never>[];
  /**
   * For {@link read}: a statement whose text varies. It is planned each time, with its values.
   * @param order `index`: the planner must not sort, because an index gives the order
   */
  unprepared<Row>(text: string, values: readonly Value[], order: "index" | "any"): Query<Row>;
  /** Stores rows of the tables of `rules/tables.ts`. */
  insert(rows: Partial<RowsToInsert>): Query<never>;
  /** The end of a SELECT that locks its rows for the transaction. Empty where transactions come one after the other. */
  locking(how: `FOR ${string}`): string;
  /** Keeps other transactions from changing what is known of an address, and then runs queries as {@link together}. */
  lockAddress<Rows extends readonly unknown[]>(key: string, queries: QueriesOf<Rows>): Steps<AnswersOf<Rows>>;
  /** Which index a SELECT walks along (null: the table itself), where the planner chooses badly; behind the table. */
  indexedBy(index: string | null): string;
  readonly ranges: Ranges;
  /** A column of JSON texts, to take members of with `->` and `->>`; null where it cannot be read. */
  json(column: string): string;
  /** A part of FROM: the texts of a JSON array, as `each.value`. */
  elementsOf(json: string): string;
  /** A text to be ordered by its bytes, whatever the locale of the database: both engines list alike. */
  byBytes(text: string): string;
  /** A condition: a column is in the list of a parameter. */
  among(column: string, parameter: string, type?: "text" | "bigint"): string;
  /** What names a row for {@link amongUnlocked}: its key, of one column or several, or what the engine has instead. */
  rowId(key: string): string;
  /** A condition: a column is among those that a SELECT finds and that no other transaction is changing at this moment. */
  amongUnlocked(column: string, select: string): string;
  /** Prepares to ask below which number of a table no row can appear any more. */
  lastComplete(table: string, number: string): () => Promise<number>;
  /** Runs a statement that changes nothing. */
  read<Row>(query: Query<Row>): Promise<readonly Row[]>;
  /** Runs a statement in a transaction of its own. It must do the same when it runs twice. */
  write<Row>(query: Query<Row>): Promise<readonly Row[]>;
  /**
   * Makes a function that runs steps, or one query, in a transaction. They get its arguments.
   * @param options.repeatable whether it does the same when it runs twice: its answer may be lost
   * @param options.waitMs how long it may wait for others to share its commit, where transactions share one
   */
  transaction<Arguments extends readonly unknown[], T>(
    steps: (...given: Arguments) => { [Symbol.iterator](): Steps<T> },
    options?: { readonly repeatable?: boolean; readonly waitMs?: number },
  ): (...given: Arguments) => Promise<T>;
}

/** The row of a statement that always gives one. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("A statement gave no row.");
  return row;
}

/** Adds a value to the parameters of a text, and answers how the text names it. */
export type Bind = (value: Value) => string;

export function bindTo(values: Value[]): Bind {
  return (value) => `$${values.push(value)}`;
}

/** Queries that do not wait for each other's answers, in their order. `yield*` gives the rows of each. */
export function* together<Rows extends readonly unknown[]>(queries: QueriesOf<Rows>): Steps<AnswersOf<Rows>> {
  return (yield queries) as AnswersOf<Rows>;
}
