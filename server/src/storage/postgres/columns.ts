// Rows as parameters: one array for each column, so that a statement has the same text for any number of rows.

/** The columns of some rows, with their types in SQL. */
export type Columns = Readonly<Record<string, "text" | "bigint" | "integer">>;

/** A row with these columns. */
export type RowOf<Of extends Columns> = {
  readonly [Name in keyof Of]: (Of[Name] extends "text" ? string : number) | null;
};

/**
 * The rows as a table of a statement.
 *
 * @param first number of the first parameter
 */
export function rowsAs(alias: string, columns: Columns, first = 1): string {
  const parameters = Object.values(columns).map((type, index) => `$${first + index}::${type}[]`);
  return `unnest(${parameters.join(", ")}) AS ${alias} (${Object.keys(columns).join(", ")})`;
}

/** The parameters of the rows. */
export const valuesOf = <Of extends Columns>(columns: Of, rows: readonly RowOf<Of>[]): unknown[] =>
  Object.keys(columns).map((name) => rows.map((row) => row[name]));
