// Columns by their names in a record: `received_at` is read as `receivedAt`, on both engines.

/** What a SELECT reads of a table. */
export const columnsOf = (table: string, names: readonly string[]): string =>
  names.map((name) => `${table}.${name.replaceAll(/[A-Z]/g, "_$&").toLowerCase()} AS "${name}"`).join(", ");

/** These of a row that may have others. */
export const picked = <Of extends object, Name extends keyof Of>(of: Of, names: readonly Name[]): Pick<Of, Name> =>
  Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<Of, Name>;

// Columns that hold a JSON object. A bad disk or another version may have written one that cannot be read.

/** The fields of an object, by their names. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a column holds; no fields when that is no JSON object. */
export function readFields(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
