// Opens the store that the configuration names. The one place that knows which engines there are.
import type { CommitCounts } from "./commit-counts.ts";
import { lockForService } from "./sqlite/service-lock.ts";
import { migrateSqlite, openSqliteStore, pendingSqliteMigrations } from "./sqlite/open-sqlite.ts";
import type { Store } from "./store.ts";

/** Where the store is. */
export type StoreLocation = { readonly kind: "sqlite"; readonly file: string };

export interface OpenStoreOptions {
  /** `read-only` for exports beside a running service: it never takes the write lock and never migrates. */
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
 * @throws SchemaTooOld when it is opened for reading only and lacks migrations
 */
export function openStore(
  location: StoreLocation,
  { access = "read-write" }: OpenStoreOptions = {},
): Promise<OpenStore> {
  return openSqliteStore(location.file, access);
}

/**
 * Makes the caller the one service on the store, until disposed of or ended, however that comes about. The command line
 * does without: it works beside the service.
 *
 * @throws StorageUnavailable when another service has it
 */
export function lockStore(location: StoreLocation): Promise<Disposable> {
  return lockForService(location.file);
}

/** Applies pending migrations, making the store if need be. Answers the names of those that this call applied. */
export function migrate(location: StoreLocation): Promise<string[]> {
  return migrateSqlite(location.file);
}

/**
 * Names of the migrations that the store lacks, without writing anything.
 *
 * @throws SchemaTooNew when a newer version of the service has migrated it
 */
export function pendingMigrations(location: StoreLocation): Promise<string[]> {
  return pendingSqliteMigrations(location.file);
}
