// Brings a database to the schema of this version: numbered SQL files, forwards only. Each has a transaction, which
// records it first. Any number of processes may start at once.
import { join } from "node:path";
import { type Migration, readMigrations, SchemaTooNew } from "../schema-version.ts";
import { retryWhileBusy } from "./errors.ts";
import type { SqliteConnection } from "./connection.ts";

/** Another process may be building an index over everything; that is worth waiting for. */
const migrationWaitMs = 60_000;

export const sqliteMigrations = (): Migration[] => readMigrations(join(import.meta.dirname, "migrations"));

/** The migrations that the database lacks. Reads only. @throws SchemaTooNew when it has some that this version does not know */
export function findPending(connection: SqliteConnection): Migration[] {
  const migrations = sqliteMigrations();
  const found = latestApplied(connection);
  const known = migrations.at(-1)?.number ?? 0;
  if (found > known) throw new SchemaTooNew(found, known);
  return migrations.filter((migration) => migration.number > found);
}

/** Applies the pending migrations and answers the names of those that this process applied. */
export async function applyPending(connection: SqliteConnection): Promise<string[]> {
  const applied: string[] = [];
  for (const migration of await retryWhileBusy(() => findPending(connection))) {
    if (await retryWhileBusy(() => apply(connection, migration), migrationWaitMs)) applied.push(migration.name);
  }
  return applied;
}

function latestApplied(connection: SqliteConnection): number {
  const tables = connection.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migration'");
  if (tables.length === 0) return 0;
  const [row] = connection.query<{ number: number }>("SELECT max(number) AS number FROM schema_migration");
  return row?.number ?? 0;
}

// The row goes in first: a process that lost the race to the write lock finds it there and has nothing left to do.
function apply(connection: SqliteConnection, { number, name, script }: Migration): boolean {
  connection.begin();
  try {
    connection.execute(createTable);
    const isOurs = connection.query(record, number, name).length === 1;
    if (isOurs) connection.execute(script);
    connection.commit();
    return isOurs;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

const createTable = `CREATE TABLE IF NOT EXISTS schema_migration (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;

const record = `INSERT INTO schema_migration (number, name, applied_at)
  VALUES (?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING RETURNING number`;
