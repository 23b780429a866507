// Columns by their names in a record, and columns that hold a JSON object.
import { type Fields, isFields, jsonIn } from "../../read-unknown.ts";

/** The column of `receivedAt` is `received_at`. */
export const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, "_$&").toLowerCase();

/** `received_at` is read as `receivedAt`, on both engines. */
export const columnsOf = (table: string, names: readonly string[]): string =>
  names.map((name) => `${table}.${columnOf(name)} AS "${name}"`).join(", ");

/** A list of texts. Only for texts of our own. */
export const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");

export const isText = (value: unknown): value is string => typeof value === "string";

/** The texts that a column holds as a JSON list; none when that is no such list, as with {@link readFields}. */
export const readTexts = (json: string | null): readonly string[] => textsOf(jsonIn(json ?? "[]"));

export const textsOf = (list: unknown): readonly string[] => (Array.isArray(list) ? list.filter(isText) : []);

/** What a column holds; no fields when that is no JSON object: a bad disk or another version may have written it. */
export function readFields(json: string): Fields {
  const value = jsonIn(json);
  return isFields(value) ? value : {};
}
