// A SQLite store as rows to be moved, out of it or into it. Holds the service's lock as long as it is open, and, as the
// source, the write lock too, so that the command line changes nothing either.
import { existsSync } from "node:fs";
import { sql } from "kysely";
import { createQueries } from "../queries/compile.ts";
import { rowsAfter } from "../queries/archive.ts";
import { type ArchivedTable, type ArchiveRole, KeyTaken, type RowArchive, type RowKey } from "../row-archive.ts";
import type { Database } from "../schema.ts";
import { SchemaTooOld } from "../schema-version.ts";
import { StorageUnavailable } from "../store.ts";
import { retryWhileBusy } from "./busy.ts";
import { SqliteConnection } from "./connection.ts";
import { applyPending, findPending, sqliteMigrations } from "./migrate.ts";
import { insertOf, sqliteDialect } from "./queries.ts";
import { lockForService } from "./service-lock.ts";

/**
 * Opens a database that no service runs on; a target is made and migrated if need be.
 *
 * @throws StorageUnavailable when it cannot be used, is missing (source) or a service runs on it
 * @throws SchemaTooOld (source), SchemaTooNew
 */
export async function openSqliteArchive(file: string, role: ArchiveRole): Promise<RowArchive> {
  // Before the lock, which would make one.
  if (role === "source" && !existsSync(file)) throw new StorageUnavailable("There is no database file to copy.");
  await using opened = new AsyncDisposableStack();
  opened.use(await lockForService(file));
  const connection = opened.adopt(await retryWhileBusy(() => new SqliteConnection(file)), (one) => one.close());
  await retryWhileBusy(() => connection.configure("read-write"));
  await retryWhileBusy(() => connection.checkIntegrity());
  if (role === "target") await applyPending(connection, sqliteMigrations());
  else await holdStill(connection);
  return new SqliteArchive(connection, opened.move());
}

async function holdStill(connection: SqliteConnection): Promise<void> {
  const pending = findPending(connection, sqliteMigrations());
  if (pending.length > 0) throw new SchemaTooOld(pending.map(({ name }) => name));
  await retryWhileBusy(() => connection.begin());
}

/** UNIQUE and PRIMARY KEY, https://sqlite.org/rescode.html. */
const takenCodes = new Set([1555, 2067]);

class SqliteArchive implements RowArchive {
  readonly #connection: SqliteConnection;
  readonly #opened: AsyncDisposableStack;
  readonly #queries = createQueries(sqliteDialect);

  constructor(connection: SqliteConnection, opened: AsyncDisposableStack) {
    this.#connection = connection;
    this.#opened = opened;
  }

  async readAfter<Table extends ArchivedTable>(
    table: Table,
    after: RowKey | null,
    limit: number,
  ): Promise<readonly Database[Table][]> {
    return retryWhileBusy(() => this.#connection.all(rowsAfter(this.#queries, table, after, limit)));
  }

  async write<Table extends ArchivedTable>(table: Table, rows: readonly Database[Table][]): Promise<void> {
    await retryWhileBusy(() => this.#insert(table, rows));
  }

  #insert<Table extends ArchivedTable>(table: Table, rows: readonly Database[Table][]): void {
    const insert = insertOf(this.#connection, (row: Database[Table]) => {
      const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
      const values = sql`INSERT INTO ${sql.table(table)} (${names}) VALUES (${sql.join(Object.values(row))})`;
      return { compile: () => values.compile(this.#queries) };
    });
    this.#connection.begin();
    try {
      for (const row of rows) insert(row);
      this.#connection.commit();
    } catch (error) {
      this.#connection.rollback();
      throw isTaken(error) ? new KeyTaken(table, { cause: error }) : error;
    }
  }

  // What is open of the source is a transaction that wrote nothing; closing ends it.
  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && takenCodes.has(error.errcode as number);
