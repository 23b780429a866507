// Opens the store on SQLite. A failure closes the handle again.
import { existsSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type PendingMigration, SchemaTooOld, weigh } from "../schema-version.ts";
import type { Access, OpenOptions, Store } from "../store.ts";
import { asOpeningError, asUnavailable, busyPauseMs, isOfLog, retryWhileBusy } from "./errors.ts";
import { SqliteConnection } from "./connection.ts";
import { applyPending, findPending, sqliteMigrations } from "./migrate.ts";
import { makeSqliteStore } from "./sqlite-store.ts";

/** Another process may be recovering the log of a crash, or switching a new file to its log. */
const openWaitMs = 10_000;

/** How often moving the log is tried, in about half a second. */
const moveLogTries = 30;

export async function connect(file: string, access: Access): Promise<SqliteConnection> {
  // On a full or read-only disk there is no room for a log, and where none is in use none is needed.
  const readsAtRest = (error: unknown) => access === "read-only" && isOfLog(error) && isAtRest(file);
  try {
    return await connected(file, access).catch((error: unknown) => {
      if (!readsAtRest(error)) throw error;
      return connected(file, access, true);
    });
  } catch (error) {
    throw asOpeningError(error, file);
  }
}

async function connected(file: string, access: Access, atRest = false): Promise<SqliteConnection> {
  using opened = new DisposableStack();
  const connection = opened.use(await retryWhileBusy(() => new SqliteConnection(file, access, atRest), openWaitMs));
  await retryWhileBusy(() => connection.configure(), openWaitMs);
  if (access === "read-write") await moveLogLeft(connection);
  opened.move();
  return connection;
}

/** Bytes of the index of a log that is in use, at least. What failed to be made has fewer. */
const logIndexBytesMin = 32_768;

/** Whether no process uses a database: its log is empty, and has no index. */
function isAtRest(file: string): boolean {
  const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return bytesOf(`${file}-wal`) === 0 && bytesOf(`${file}-shm`) < logIndexBytesMin;
}

/**
 * Moves what a killed process left in the log into the database. Recovery reads it from the memory of the kernel and
 * syncs nothing: a repeated key could be answered from pages that were never synced; and where a sync had failed before, the
 * kernel never writes these pages, so that what is committed behind them would be lost as well. A process that reads from
 * the log for long does not hold up the start: as a rule it was there before, and then there was no recovery.
 */
async function moveLogLeft(connection: SqliteConnection): Promise<void> {
  for (let tries = 0; tries < moveLogTries && !(await retryWhileBusy(() => connection.moveLog())); tries += 1) {
    await pause(busyPauseMs);
  }
}

/** See `openStore`. */
export async function openSqliteStore(file: string, options: OpenOptions): Promise<Store> {
  using opened = new DisposableStack();
  const connection = opened.use(await connect(file, options.access));
  if (options.access === "read-only") await refusePending(connection);
  else await applyPending(connection);
  const store = await retryWhileBusy(() => makeSqliteStore(connection, options));
  opened.move();
  return store;
}

/** @throws SchemaTooOld, SchemaTooNew when the schema is not that of this version */
export async function refusePending(connection: SqliteConnection): Promise<void> {
  const pending = await retryWhileBusy(() => findPending(connection));
  if (pending.length > 0) throw new SchemaTooOld(pending);
}

/** See `migrate`. */
export async function migrateSqlite(file: string): Promise<string[]> {
  using connection = await connect(file, "read-write");
  return await applyPending(connection);
}

/** See `findDamage` in `../open-store.ts`. */
export async function findSqliteDamage(file: string, check: string): Promise<string[]> {
  using connection = await connect(file, "read-only");
  const statement = connection.prepare<[], Record<string, string>>(`PRAGMA ${check}(20)`);
  return retryWhileBusy(() => {
    const lines: string[] = [];
    try {
      for (const row of statement.iterate()) lines.push(...Object.values(row).join("\n").split("\n"));
    } catch (error) {
      // It ends at a page of a table that cannot be read, of which a line may have told.
      if (asUnavailable(error)?.isDamage !== true || lines.length === 0) throw error;
    }
    return lines.filter((line) => line !== "ok" && !line.startsWith("***"));
  });
}

/** The migrations that a database lacks: all of them when there is none. */
export async function pendingSqliteMigrations(file: string): Promise<PendingMigration[]> {
  if (!existsSync(file)) return weigh(sqliteMigrations(), async () => 0);
  using connection = await connect(file, "read-only");
  const count = (table: string) => connection.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`);
  const rowsOf = (table: string) => retryWhileBusy(() => count(table)[0]?.rows ?? 0);
  return await weigh(await retryWhileBusy(() => findPending(connection)), rowsOf);
}
