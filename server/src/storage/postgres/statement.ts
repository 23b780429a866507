// Statements in SQL, and rows as their parameters. Knows no table.
import { hash } from "node:crypto";
import type { Columns, RowOf } from "../rules/tables.ts";

/** A statement, and the row that it answers with. */
export interface Statement<Row = never> {
  /** Each connection prepares the statement once, under this name. Without one it is prepared each time. */
  readonly name?: string;
  readonly text: string;
  /** Only for the compiler; never set. */
  readonly row?: Row;
}

type Prepared<Row> = Statement<Row> & { readonly name: string };

/**
 * A statement that is prepared. Its name is a hash of its text: on a connection that a pooler lends to several releases,
 * one name never stands for two texts.
 */
export const prepared = <Row = never>(text: string): Prepared<Row> => ({
  name: hash("sha256", text, "base64url"),
  text,
});

/**
 * Rows as a table within a statement: one array for each column, so that the statement has the same text for any number of
 * rows.
 *
 * @param first number of the first parameter
 */
export function rowsAs(alias: string, columns: Columns, first = 1): string {
  const parameters = Object.values(columns).map((type, index) => `$${first + index}::${type}[]`);
  return `unnest(${parameters.join(", ")}) AS ${alias} (${Object.keys(columns).join(", ")})`;
}

/** The processes of some rows of pg_locks, as messages for operators name them. */
export const processNames = `string_agg(DISTINCT CASE WHEN pg_locks.pid IS NULL THEN 'a prepared transaction' ELSE
  concat('process ', pg_locks.pid, (SELECT ' (' || nullif(application_name, '') || ')' FROM pg_stat_get_activity(pg_locks.pid)))
  END, ', ')`;

/** The parameters of the rows. */
export const valuesOf = <Of extends Columns>(columns: Of, rows: readonly RowOf<Of>[]): unknown[] =>
  Object.keys(columns).map((name) => rows.map((row) => row[name]));
