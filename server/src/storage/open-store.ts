// Opens the store that the configuration names. The one place that knows which engines there are.
import type { CallCountEvents, CallCounts } from "./call-counts.ts";
import type { CommitCounts } from "./commit-counts.ts";
import {
  migratePostgres,
  openPostgresStore,
  pendingPostgresMigrations,
  type PostgresLocation,
} from "./postgres/open-postgres.ts";
import { openPostgresArchive } from "./postgres/postgres-archive.ts";
import { openPostgresCallCounts } from "./postgres/postgres-call-counts.ts";
import type { ArchiveRole, RowArchive } from "./row-archive.ts";
import { lockForService } from "./sqlite/service-lock.ts";
import { migrateSqlite, openSqliteStore, pendingSqliteMigrations } from "./sqlite/open-sqlite.ts";
import { openSqliteArchive } from "./sqlite/sqlite-archive.ts";
import type { Store } from "./store.ts";

/** Where the store is. */
export type StoreLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  | ({ readonly kind: "postgres" } & PostgresLocation);

export interface OpenStoreOptions {
  /** `read-only` for exports beside a running service: never takes a write lock, never migrates, reads a replica if any. */
  readonly access?: "read-write" | "read-only";
}

/** A store, and what its engine counts. */
export interface OpenStore extends Store {
  readonly commitCounts: CommitCounts;
}

/**
 * Opens the store: makes it if need be, checks it and applies pending migrations.
 *
 * @throws StorageUnavailable when it cannot be used
 * @throws SchemaTooNew when a newer version of the service has migrated it
 * @throws SchemaTooOld when it lacks migrations and is opened for reading only, or by a role that may not migrate
 */
export function openStore(
  location: StoreLocation,
  { access = "read-write" }: OpenStoreOptions = {},
): Promise<OpenStore> {
  return location.kind === "sqlite" ? openSqliteStore(location.file, access) : openPostgresStore(location, access);
}

/**
 * Makes the caller the one service on a store that bears only one, until disposed of or ended, however that comes about.
 * The command line does without: it works beside the service. PostgreSQL bears any number.
 *
 * @throws StorageUnavailable when another service has it
 */
export async function lockStore(location: StoreLocation): Promise<Disposable> {
  return location.kind === "sqlite" ? lockForService(location.file) : { [Symbol.dispose]: () => {} };
}

/** Where the processes on a store count calls together; null for a store that bears only one process. */
export const openCallCounts = (location: StoreLocation, events: CallCountEvents): CallCounts | null =>
  location.kind === "sqlite" ? null : openPostgresCallCounts(location.url, events);

/** Applies pending migrations, making the store if need be. Answers the names of those that this call applied. */
export function migrate(location: StoreLocation): Promise<string[]> {
  return location.kind === "sqlite" ? migrateSqlite(location.file) : migratePostgres(location);
}

/**
 * Names of the migrations that the store lacks, without writing anything.
 *
 * @throws SchemaTooNew when a newer version of the service has migrated it
 */
export function pendingMigrations(location: StoreLocation): Promise<string[]> {
  return location.kind === "sqlite" ? pendingSqliteMigrations(location.file) : pendingPostgresMigrations(location);
}

/**
 * Opens a store that no service runs on, to move all of it elsewhere or to fill it. A target is made and migrated if need
 * be.
 *
 * @throws StorageUnavailable when it cannot be used, or a service runs on it
 * @throws SchemaTooNew, SchemaTooOld (a source) when its schema is not that of this version
 */
export function openArchive(location: StoreLocation, role: ArchiveRole): Promise<RowArchive> {
  return location.kind === "sqlite" ? openSqliteArchive(location.file, role) : openPostgresArchive(location, role);
}
