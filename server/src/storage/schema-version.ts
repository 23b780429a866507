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

/** The database was migrated by a newer version of the service, whose rows this one could misread. */
export class SchemaTooNew extends OperatorError {
  /** Number of the database's latest migration. */
  readonly found: number;
  /** Number of the latest migration that this version knows. */
  readonly known: number;

  constructor(found: number, known: number) {
    super(`The database has schema ${found}, this version knows ${known}: start a version that knows it.`);
    this.found = found;
    this.known = known;
  }
}

/** The database lacks migrations and was opened for reading only. */
export class SchemaTooOld extends OperatorError {
  /** @param pending names of the missing migrations */
  constructor(pending: readonly string[]) {
    super(`The database lacks migrations (${pending.join(", ")}): run the migrate command or start the service.`);
  }
}
