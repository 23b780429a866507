// A SQLite store that is moved, or filled. Holds the lock of the service and the write lock as long as it is open.
import { existsSync } from "node:fs";
import type { SQLInputValue } from "node:sqlite";
import type { MovableStore, MovedTable, MoveRole, Row, RowKey } from "../move.ts";
import { StorageUnavailable } from "../store.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { asUnavailable } from "./errors.ts";
import { applyPending, sqliteMigrations } from "./migrate.ts";
import { connect, refusePending } from "./open-sqlite.ts";
import { lockForService } from "./service-lock.ts";

/**
 * @throws StorageUnavailable when it cannot be used, is missing (source) or a service runs on it
 * @throws SchemaTooOld (source), SchemaTooNew
 */
export async function openSqliteMove(file: string, role: MoveRole): Promise<MovableStore> {
  // Before the lock, which would make the file.
  if (role === "source" && !existsSync(file)) throw new StorageUnavailable("There is no database file to move.");
  await using opened = new AsyncDisposableStack();
  opened.use(await lockForService(file, 0));
  const connection = opened.use(await connect(file, "read-write"));
  if (role === "target") await applyPending(connection, sqliteMigrations());
  else await refusePending(connection);
  await retryWhileBusy(() => connection.begin());
  if (role === "target") connection.execute("DELETE FROM store");
  return new SqliteMove(connection, opened.move());
}

class SqliteMove implements MovableStore {
  readonly #connection: SqliteConnection;
  readonly #opened: AsyncDisposableStack;

  constructor(connection: SqliteConnection, opened: AsyncDisposableStack) {
    this.#connection = connection;
    this.#opened = opened;
  }

  async read({ name, key }: MovedTable, after: RowKey | null, limit: number): Promise<readonly Row[]> {
    const columns = key.join(", ");
    const place = after === null ? "" : `WHERE (${columns}) > (${key.map(() => "?").join(", ")})`;
    const text = `SELECT * FROM ${name} ${place} ORDER BY ${columns} LIMIT ?`;
    return this.#connection.query<Row>(text, ...(after ?? []), limit);
  }

  async insert({ name }: MovedTable, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {});
    const values = columns.map(() => "?").join(", ");
    const insert = this.#connection.prepare<readonly SQLInputValue[]>(
      `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${values})`,
    );
    storing(() => {
      for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null));
    });
  }

  async lastNumber({ name }: MovedTable): Promise<number> {
    const [row] = this.#connection.query<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = ?", name);
    return row?.seq ?? 0;
  }

  async continueBehind({ name }: MovedTable, lastNumber: number): Promise<void> {
    storing(() => {
      this.#connection.query("DELETE FROM sqlite_sequence WHERE name = ?", name);
      this.#connection.query("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", name, lastNumber);
    });
  }

  async commit(): Promise<void> {
    storing(() => this.#connection.commit());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

function storing(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw asUnavailable(error) ?? error;
  }
}
