// Brings a database to the schema of this version: numbered SQL files, forwards only, each in one transaction that records
// it. Any number of processes may start at once. The first line of a migration says the lowest one that a process must know
// to work with the schema: the release before runs on beside it.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Migration,
  type PendingMigration,
  readMigrations,
  SchemaTooNew,
  SchemaTooOld,
  weigh,
} from "../schema-version.ts";
import { only } from "../sql/engine.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { Connections, type Limits, setNoEnd } from "./connections.ts";
import { sqlState } from "./errors.ts";
import type { Session } from "./session.ts";
import { prepared, processNames, type Statement } from "./statement.ts";

/** The oldest release that its makers still look after. */
const versionMin = 14;

/** Another process may be building an index over everything; that is worth waiting for. */
const migrationLimits: Limits = { statementMs: 0, lockMs: 60_000, idleMs: 60_000 };

/** A migration waits this long for a table that another transaction reads: every INSERT queues behind it meanwhile. */
const tableLockMs = 1_000;
/** Between two tries submissions are stored. */
const tableLockPauseMs = 4_000;
/** How long it is tried. A dump may take some minutes. */
const tableLocksMs = 5 * 60_000;

/** Held while a migration is applied. Any number will do that nothing else in the database uses. */
const migrationLock = 7_326_450_001;

/**
 * Applies the pending migrations. Answers the names of those that this process applied.
 * @throws SchemaTooOld when the role may not
 */
export async function migratePostgres(url: string, waiting?: (message: string) => void): Promise<string[]> {
  // Migrations take as long as they take.
  await using connections = new Connections(addressOf(url), { max: 1, answerMs: 0 });
  await checkServer(connections);
  try {
    return await applyPending(connections, waiting);
  } catch (error) {
    // 42501: the role has no right to. 3F000: without USAGE it sees no schema. Such a role can start the service all the same,
    // once another one has migrated.
    if (!["42501", "3F000"].includes(sqlState(error) ?? "")) throw error;
    throw new SchemaTooOld(
      await findPending(connections),
      "the role in DATABASE_URL may not apply them. Grant it CREATE and USAGE on the schema, or run the migrate command as the owner of the tables",
    );
  }
}

/** @throws StorageUnavailable also when the pending migrations could not be applied there */
export async function pendingPostgresMigrations(url: string): Promise<PendingMigration[]> {
  await using connections = new Connections(addressOf(url), { max: 1 });
  await checkServer(connections);
  const rowsOf = async (table: string) => (await connections.all(estimate, [table]))[0]?.rows ?? 0;
  return await weigh(await findPending(connections), rowsOf);
}

// As of the last VACUUM or ANALYZE; -1 before the first.
const estimate = prepared<{ rows: number }>(`
  SELECT greatest(reltuples, 0)::float8 AS rows FROM pg_class WHERE oid = to_regclass($1)`);

/** @throws StorageUnavailable when this service does not work with the server */
export async function checkServer(connections: Connections): Promise<void> {
  const { version, encoding } = only(await connections.all(readServer));
  if (version < versionMin * 10_000) throw new StorageUnavailable(`PostgreSQL ${versionMin} or later is needed.`);
  if (encoding !== "UTF8") throw new StorageUnavailable("The database must have the encoding UTF8.");
}

const readServer = prepared<{ version: number; encoding: string }>(`
  SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`);

export const postgresMigrations = (): Migration[] => readMigrations(join(import.meta.dirname, "migrations"));

/**
 * The migrations that the database lacks. Reads only.
 * @throws SchemaTooNew when the database has migrations that this version neither knows nor can work with
 */
export async function findPending(
  connections: Connections,
  migrations: readonly Migration[] = postgresMigrations(),
): Promise<Migration[]> {
  const { exists } = only(await connections.all(tableExists));
  const applied = exists ? await connections.all(allApplied) : [];
  const known = migrations.at(-1)?.number ?? 0;
  const needed = Math.max(0, ...applied.map(({ needs }) => needs));
  if (needed > known) throw new SchemaTooNew(Math.max(...applied.map(({ number }) => number)), known);
  return migrations.filter(({ number }) => !applied.some((one) => one.number === number));
}

/**
 * @param waiting called at each try with who keeps a migration waiting
 * @returns the names of those that this process applied
 * @throws StorageUnavailable when another transaction keeps a table for minutes; its process is named
 */
export async function applyPending(
  connections: Connections,
  waiting: (message: string) => void = () => {},
  migrations?: readonly Migration[],
): Promise<string[]> {
  const applied: string[] = [];
  for (const migration of await findPending(connections, migrations)) {
    if (await applyPatiently(connections, migration, waiting)) applied.push(migration.name);
  }
  return applied;
}

async function applyPatiently(
  connections: Connections,
  migration: Migration,
  waiting: (message: string) => void,
): Promise<boolean> {
  const apply = (session: Session) => applyUnlessApplied(session, migration);
  const giveUpAt = performance.now() + tableLocksMs;
  for (;;) {
    try {
      return await connections.transaction(apply, { limits: migrationLimits });
    } catch (error) {
      if (sqlState(error) !== "55P03") throw error;
      const [holders] = await connections.all(holdersOfTables);
      const message = `The migration ${migration.name} waits for ${holders?.names ?? "another transaction"}.`;
      if (performance.now() >= giveUpAt) throw new StorageUnavailable(message, { cause: error });
      waiting(message);
    }
    await pause(tableLockPauseMs);
  }
}

async function applyUnlessApplied(session: Session, migration: Migration): Promise<boolean> {
  const { number, name, script } = migration;
  await session.script(setNoEnd);
  await session.script(`SELECT pg_advisory_xact_lock(${migrationLock})`);
  await session.script(createTable);
  if ((await session.all(record, [number, name, neededBy(migration)])).length === 0) return false;
  await session.script(`SET LOCAL lock_timeout = ${tableLockMs}`);
  await session.script(script);
  return true;
}

function neededBy({ name, number, script }: Migration): number {
  const needs = Number(/^-- needs (\d{4})\n/.exec(script)?.[1]);
  if (needs >= 1 && needs <= number) return needs;
  throw new Error(`Migration ${name} does not begin with the lowest migration that a process must know with it.`);
}

const tableExists = prepared<{ exists: boolean }>("SELECT to_regclass('schema_migration') IS NOT NULL AS exists");

const allApplied = prepared<{ number: number; needs: number }>("SELECT number, needs FROM schema_migration");

// Of the transactions that hold a table, those that have lasted longer than ours do.
const holdersOfTables: Statement<{ names: string | null }> = {
  text: `
    SELECT ${processNames} AS names FROM pg_locks LEFT JOIN pg_stat_activity AS activity USING (pid)
    WHERE locktype = 'relation' AND granted AND pid IS DISTINCT FROM pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relation IN (SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace)
      AND (xact_start IS NULL OR xact_start < clock_timestamp() - interval '${tableLockMs} ms')`,
};

const record = prepared<object>(`
  INSERT INTO schema_migration (number, name, needs, applied_at)
  VALUES ($1, $2, $3, floor(extract(epoch FROM clock_timestamp()) * 1000)) ON CONFLICT DO NOTHING RETURNING number`);

const createTable = `CREATE TABLE IF NOT EXISTS schema_migration (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  needs INTEGER NOT NULL,
  applied_at BIGINT NOT NULL
)`;
