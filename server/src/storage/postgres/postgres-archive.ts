// A PostgreSQL store as rows to be moved, out of it or into it, on one connection. As the source it is one transaction
// from beginning to end, which sees one state and lets nobody write; as the target, one transaction for each batch.
import { CompiledQuery } from "kysely";
import { Client } from "pg";
import { createQueries } from "../queries/compile.ts";
import { rowsAfter } from "../queries/archive.ts";
import {
  type ArchivedTable,
  archivedTables,
  type ArchiveRole,
  KeyTaken,
  type RowArchive,
  type RowKey,
} from "../row-archive.ts";
import type { Database } from "../schema.ts";
import { SchemaTooOld } from "../schema-version.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { applicationName, columnTypes } from "./connections.ts";
import { asStorageError, sqlState } from "./errors.ts";
import { migratePostgres, pendingPostgresMigrations, type PostgresLocation } from "./open-postgres.ts";
import { insertAll, postgresDialect } from "./queries.ts";

/** Nobody waits for an answer; only what is down should show. In milliseconds. */
const connectMs = 10_000;
const lockMs = 5_000;

/** Held in every transaction of a copy, so that no two meet in one database. Any number that nothing else uses. */
const copyLock = 7_326_450_002;

/** Transactions take as long as they take, and what they wrote is on stable storage when they have ended. */
const settings = `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL lock_timeout = ${lockMs}; SET LOCAL synchronous_commit = on`;

/**
 * Opens a database that no service is connected to; a target is migrated if need be.
 *
 * @throws StorageUnavailable when it cannot be used, or services or another copy are connected to it
 * @throws SchemaTooOld (source), SchemaTooNew
 */
export async function openPostgresArchive(location: PostgresLocation, role: ArchiveRole): Promise<RowArchive> {
  if (role === "target") await migratePostgres(location);
  else {
    const pending = await pendingPostgresMigrations(location);
    if (pending.length > 0) throw new SchemaTooOld(pending);
  }
  const client = new Client({
    application_name: `${applicationName} copy`,
    ...addressOf(location.url),
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types: columnTypes,
  });
  // Whatever is being asked is told of it.
  client.on("error", () => {});
  const archive = new PostgresArchive(client);
  try {
    await archive.begin(role);
    return archive;
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

class PostgresArchive implements RowArchive {
  readonly #client: Client;
  readonly #queries = createQueries(postgresDialect);

  constructor(client: Client) {
    this.#client = client;
  }

  async begin(role: ArchiveRole): Promise<void> {
    await this.#client.connect().catch((error: unknown) => Promise.reject(asStorageError(error)));
    await this.#refuseServices();
    await this.#execute(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${settings}`);
    if (role === "source") {
      // The readiness of a service that was overlooked writes to the probe: it is not ready meanwhile. Before anything
      // is read, because what the transaction sees is settled by its first query.
      await this.#execute(`LOCK TABLE ${[...archivedTables, "probe"].join(", ")} IN SHARE MODE`);
      await this.#lockCopy();
    } else {
      await this.#lockCopy();
      await this.#execute("ROLLBACK");
    }
  }

  readAfter<Table extends ArchivedTable>(
    table: Table,
    after: RowKey | null,
    limit: number,
  ): Promise<readonly Database[Table][]> {
    return this.#all(rowsAfter(this.#queries, table, after, limit));
  }

  async write<Table extends ArchivedTable>(table: Table, rows: readonly Database[Table][]): Promise<void> {
    await this.#execute(`BEGIN; ${settings}`);
    await this.#lockCopy();
    try {
      await this.#all(insertAll(this.#queries, table, rows));
    } catch (error) {
      throw sqlState(error) === "23505" ? new KeyTaken(table, { cause: error }) : error;
    }
    await this.#execute("COMMIT");
  }

  /** What is open ends with the connection; a source has nothing to keep. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.end();
  }

  async #refuseServices(): Promise<void> {
    const [found] = await this.#all(otherServices);
    if (found?.count === 0) return;
    throw new StorageUnavailable("A service or a command is connected to this database: stop it first.");
  }

  async #lockCopy(): Promise<void> {
    const [found] = await this.#all(tryCopyLock);
    if (!found?.locked) throw new StorageUnavailable("Another copy is under way from or to this database.");
  }

  async #all<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    return (await this.#ask({ text: sql, values: [...parameters] })).rows as Row[];
  }

  async #execute(script: string): Promise<void> {
    await this.#ask({ text: script });
  }

  async #ask(query: { readonly text: string; readonly values?: unknown[] }) {
    try {
      return await this.#client.query(query);
    } catch (error) {
      throw asStorageError(error);
    }
  }
}

const otherServices: CompiledQuery<{ count: number }> = CompiledQuery.raw(
  "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
  [applicationName],
);

const tryCopyLock: CompiledQuery<{ locked: boolean }> = CompiledQuery.raw(
  `SELECT pg_try_advisory_xact_lock(${copyLock}) AS locked`,
);
