// Statements in SQL, and rows as their parameters. Knows no table.
import { hash } from "node:crypto";
import type { Columns } from "../rules/tables.ts";

/** A statement, and the row that it answers with. */
export interface Statement<Row = never> {
  /** Each connection prepares the statement once, under this name. Without one it is prepared each time. */
  readonly name?: string;
  readonly text: string;
  /** For its transaction, before it is planned with its values: rare and frequent words need different plans. */
  readonly settings?: string;
  /** Only for the compiler; never set. */
  readonly row?: Row;
}

/** Its name is a hash of its text: on a connection that a pooler lends to several releases, no name stands for two texts. */
export const prepared = <Row = never>(text: string): Statement<Row> & { readonly name: string } => ({
  name: hash("sha256", text, "base64url"),
  text,
});

/**
 * Rows as a table within a statement. They are one parameter, an array of JSON objects: the statement has
 * the same text for any number of them, and the server keeps them once. An array for each column would be kept apart, in so
 * much memory that a process of the server asks the system for it again each time, which costs more than the INSERT.
 */
export function rowsAs(alias: string, columns: Columns, parameter = 1): string {
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return `json_to_recordset($${parameter}::json) AS ${alias} (${typed.join(", ")})`;
}

/** The processes of some rows of pg_locks, as messages for operators name them. */
export const processNames = `string_agg(DISTINCT CASE WHEN pg_locks.pid IS NULL THEN 'a prepared transaction' ELSE
  concat('process ', pg_locks.pid, (SELECT ' (' || nullif(application_name, '') || ')' FROM pg_stat_get_activity(pg_locks.pid)))
  END, ', ')`;
