// A PostgreSQL store as rows to be moved, out of it or into it, on one connection. As the source it is one transaction
// from beginning to end, which sees one state and lets nobody write; as the target, one transaction for each batch.
import { setTimeout as pause } from "node:timers/promises";
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
/** Of what has just ended, the server may know a moment longer. */
const endingMs = 1_000;
const endingPauseMs = 100;

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
  const archive = new PostgresArchive(location.url);
  try {
    // First of all: what follows has connections of its own, of which the server may know a moment longer than we do.
    await archive.connectAlone();
    if (role === "target") await migratePostgres(location);
    else await refusePending(location);
    if (role === "source") await archive.holdStill();
    return archive;
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

async function refusePending(location: PostgresLocation): Promise<void> {
  const pending = await pendingPostgresMigrations(location);
  if (pending.length > 0) throw new SchemaTooOld(pending);
}

class PostgresArchive implements RowArchive {
  readonly #client: Client;
  readonly #queries = createQueries(postgresDialect);

  constructor(url: string) {
    this.#client = new Client({
      application_name: `${applicationName} copy`,
      ...addressOf(url),
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      types: columnTypes,
    });
    // Whatever is being asked is told of it.
    this.#client.on("error", () => {});
  }

  /** @throws StorageUnavailable, also when somebody else is connected and stays */
  async connectAlone(): Promise<void> {
    await this.#client.connect().catch((error: unknown) => Promise.reject(asStorageError(error)));
    const giveUpAt = performance.now() + endingMs;
    while (await this.#hasOthers()) {
      if (performance.now() >= giveUpAt) {
        throw new StorageUnavailable("A service or a command is connected to this database: stop it first.");
      }
      await pause(endingPauseMs);
    }
  }

  /**
   * Begins the transaction that everything is read in, and keeps others from writing until it ends. The readiness of a
   * service that was overlooked writes to the probe: it is not ready meanwhile.
   */
  async holdStill(): Promise<void> {
    await this.#begin("REPEATABLE READ", `LOCK TABLE ${[...archivedTables, "probe"].join(", ")} IN SHARE MODE`);
  }

  readAfter<Table extends ArchivedTable>(
    table: Table,
    after: RowKey | null,
    limit: number,
  ): Promise<readonly Database[Table][]> {
    return this.#all(rowsAfter(this.#queries, table, after, limit));
  }

  async write<Table extends ArchivedTable>(table: Table, rows: readonly Database[Table][]): Promise<void> {
    await this.#begin();
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

  // In a transaction of its own: within one, the server gives the same answer again.
  async #hasOthers(): Promise<boolean> {
    await this.#begin();
    const [services] = await this.#all(countServices);
    await this.#execute("ROLLBACK");
    return services?.count !== 0;
  }

  /** @param first what is done before anything is read: the first query settles what a transaction sees */
  async #begin(isolation = "READ COMMITTED", first = ""): Promise<void> {
    await this.#execute(`BEGIN ISOLATION LEVEL ${isolation}; ${settings}; ${first}`);
    const [found] = await this.#all(tryCopyLock);
    if (!found?.locked)
      throw new StorageUnavailable(
        "Another copy is under way from or to this database, or it is to be copied to itself.",
      );
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

const countServices: CompiledQuery<{ count: number }> = CompiledQuery.raw(
  "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
  [applicationName],
);

const tryCopyLock: CompiledQuery<{ locked: boolean }> = CompiledQuery.raw(
  `SELECT pg_try_advisory_xact_lock(${copyLock}) AS locked`,
);
