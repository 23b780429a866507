// Reads the numbered SQL files that bring a database to the schema of this version.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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
