// Opens the store that the configuration names, or one that is copied or filled. PostgreSQL's modules are loaded only when it is used.
import { systemClock } from "../clock.ts";
import type { RateLimitEvents, RateLimitStore } from "./rate-limit-store.ts";
import type { PostgresLocation } from "./postgres/postgres-store.ts";
import type { PendingMigration } from "./schema-version.ts";
import { lockForService } from "./sqlite/service-lock.ts";
import { findSqliteDamage, migrateSqlite, openSqliteStore, pendingSqliteMigrations } from "./sqlite/open-sqlite.ts";
import type { OpenOptions, Store } from "./store.ts";
import { OperatorError } from "../operator-error.ts";
import { type MovableStore, movedTables, type MoveRole } from "./move.ts";

export type StoreLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  | ({ readonly kind: "postgres" } & PostgresLocation);

/**
 * Opens the store: makes it if need be and applies pending migrations.
 * @throws StorageUnavailable when it cannot be used
 * @throws SchemaTooNew when a newer version of the service has migrated it
 * @throws SchemaTooOld when it lacks migrations and is opened for reading only, or by a role that may not migrate
 */
export async function openStore(location: StoreLocation, options: Partial<OpenOptions> = {}): Promise<Store> {
  const opened: OpenOptions = { access: "read-write", clock: systemClock, ...options };
  if (location.kind === "sqlite") return openSqliteStore(location.file, opened);
  return (await import("./postgres/postgres-store.ts")).openPostgresStore(location, opened);
}

/**
 * Keeps restores off a database, until disposed of or until the process ends, and other services off one of SQLite.
 * PostgreSQL bears any number of services.
 * @throws StorageUnavailable when a restore has it, or another service
 */
export async function lockStore(location: StoreLocation): Promise<Disposable | AsyncDisposable> {
  if (location.kind === "sqlite") return lockForService(location.file);
  return (await import("./postgres/service-lock.ts")).lockForService(location.url);
}

/** Where the processes on a store count calls together; null for SQLite, which has one process only. */
export async function openRateLimitStore(
  location: StoreLocation,
  events: RateLimitEvents,
): Promise<RateLimitStore | null> {
  if (location.kind === "sqlite") return null;
  return (await import("./postgres/rate-limit-store.ts")).openPostgresRateLimits(location.url, events);
}

/** Applies pending migrations, making the store if need be. Answers the names of those that this call applied. */
export async function migrate(location: StoreLocation, waiting?: (message: string) => void): Promise<string[]> {
  if (location.kind === "sqlite") return migrateSqlite(location.file);
  return (await import("./postgres/migrate.ts")).migratePostgres(location.url, waiting);
}

/**
 * What of the database is damaged, in SQLite's words, at most 20 lines. None on PostgreSQL, which has its own tools for that.
 * @param check `quick_check` compares no index with its table; at a million rows it takes 6 s, the other one 14 s
 * @throws StorageUnavailable when not even that can be found out
 */
export async function findDamage(location: StoreLocation, check: "quick_check" | "integrity_check"): Promise<string[]> {
  return location.kind === "sqlite" ? findSqliteDamage(location.file, check) : [];
}

/** The migrations that the store lacks, without writing anything. @throws SchemaTooNew as {@link openStore} */
export async function pendingMigrations(location: StoreLocation): Promise<PendingMigration[]> {
  if (location.kind === "sqlite") return pendingSqliteMigrations(location.file);
  return (await import("./postgres/migrate.ts")).pendingPostgresMigrations(location.url);
}

/**
 * Made and migrated if need be, to be filled in one transaction.
 * @throws OperatorError when it is not empty
 * @throws StorageUnavailable when it cannot be used, or a service runs on it
 */
export async function openEmpty(location: StoreLocation, role: "target" | "backup" = "target"): Promise<MovableStore> {
  await using opened = new AsyncDisposableStack();
  const target = opened.use(await openMovable(location, role));
  // A service that was only started has written them.
  for (const name of ["store", "day_count"]) await target.query(`DELETE FROM ${name}`);
  for (const { name } of movedTables) {
    if ((await target.query(`SELECT 1 AS one FROM ${name} LIMIT 1`)).length === 0) continue;
    throw new OperatorError(`The store is not empty: its table ${name} has rows. Nothing was changed.`);
  }
  opened.move();
  return target;
}

/**
 * @throws StorageUnavailable when it cannot be used or is missing (source), or a service runs on it (target)
 * @throws SchemaTooOld (source), SchemaTooNew when its schema is not that of this version
 */
export async function openMovable(location: StoreLocation, role: MoveRole): Promise<MovableStore> {
  if (location.kind === "sqlite") return (await import("./sqlite/move.ts")).openSqliteMove(location.file, role);
  return (await import("./postgres/move.ts")).openPostgresMove(location, role);
}
