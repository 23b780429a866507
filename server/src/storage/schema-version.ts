// Which schema this version works with: the numbered SQL files that bring a database to it, and the errors of a schema
// that does not fit. Waiting does not help then, so they are not `StorageUnavailable`.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../operator-error.ts";

export interface Migration {
  readonly number: number;
  /** File name without its ending. */
  readonly name: string;
  readonly script: string;
}

/** The migrations in a folder, in their order; they are numbered from 1 without gaps. */
export function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.toSorted().map((file, index) => {
    const number = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]);
    if (number !== index + 1) throw new Error(`Migration ${file} should have number ${index + 1}.`);
    return {
      number,
      name: file.slice(0, -".sql".length),
      script: readFileSync(join(folder, file), "utf8"),
    };
  });
}

/** A pending migration, and how many rows of which tables it reads or copies: that is what it takes time for. */
export interface PendingMigration {
  readonly name: string;
  readonly tables: readonly string[];
  readonly rows: number;
}

// An index is built, all rows are checked, or copied into a table that is made anew.
const readsAll =
  /^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)|^ALTER TABLE (\w+) (?:ADD CONSTRAINT|ALTER COLUMN|DROP COLUMN)|^UPDATE (\w+)|^INSERT INTO \w+[^;]*\bFROM (\w+)/gm;

/** Weighs migrations, which may make tables for each other: those are empty. */
export async function weigh(
  pending: readonly Migration[],
  rowsOf: (table: string) => Promise<number>,
): Promise<PendingMigration[]> {
  const made = pending.flatMap(({ script }) => [...script.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table]) => table));
  const weighed = pending.map(async ({ name, script }) => {
    const read = [...script.matchAll(readsAll)].map((found) => found.slice(1).find(Boolean) ?? "");
    const tables = [...new Set(read)].filter((table) => !made.includes(table) && table !== "sqlite_sequence");
    const rows = await Promise.all(tables.map(rowsOf));
    return { name, tables, rows: rows.reduce((sum, one) => sum + one, 0) };
  });
  return Promise.all(weighed);
}

/** A newer version of the service has migrated the database, whose rows this one could misread. */
export class SchemaTooNew extends OperatorError {
  /** @param found the database's latest migration @param known the latest of this version */
  constructor(found: number, known: number) {
    super(`The database has schema ${found}, this version knows ${known}: start a version that knows it.`);
  }
}

/** The database lacks migrations, and was opened for reading only or by a role that may not apply them. */
export class SchemaTooOld extends OperatorError {
  /** @param remedy what the operator should do */
  constructor(pending: readonly { readonly name: string }[], remedy = "run the migrate command or start the service") {
    super(`The database lacks migrations (${pending.map(({ name }) => name).join(", ")}): ${remedy}.`);
  }
}
