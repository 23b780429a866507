// Columns by their names in a record, and columns that hold a JSON object.

/** The column of `receivedAt` is `received_at`. */
export const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, "_$&").toLowerCase();

/** `received_at` is read as `receivedAt`, on both engines. */
export const columnsOf = (table: string, names: readonly string[]): string =>
  names.map((name) => `${table}.${columnOf(name)} AS "${name}"`).join(", ");

/** A list of texts. Only for texts of our own. */
export const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");

/** These of a row that may have others. */
export const picked = <Of extends object, Name extends keyof Of>(of: Of, names: readonly Name[]): Pick<Of, Name> =>
  Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<Of, Name>;

/** The fields of an object, by their names. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a column holds; no fields when that is no JSON object: a bad disk or another version may have written it. */
export function readFields(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
