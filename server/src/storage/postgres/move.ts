// A PostgreSQL store that is moved, or filled: one transaction on one connection.
import { setTimeout as pause } from "node:timers/promises";
import { Client, type QueryConfig } from "pg";
import { type MovableStore, type MovedTable, movedTables, type MoveRole, type Row, type RowKey } from "../move.ts";
import { SchemaTooOld } from "../schema-version.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { applicationName, columnTypes, setNoEnd } from "./connections.ts";
import { asStorageError } from "./errors.ts";
import { migratePostgres, pendingPostgresMigrations } from "./migrate.ts";

/** Longer than a service waits: no caller does here, only a server that is down should show. In milliseconds. */
const connectMs = 10_000;
const lockMs = 2_000;
/** The server may know a moment longer of a connection that has ended. */
const endingMs = 1_000;
const endingPauseMs = 100;

/** Held by every move, so that no two meet in one database. Any number that nothing else uses. */
const moveLock = 7_326_450_002;

/**
 * Opens a database that no service is connected to.
 *
 * @throws StorageUnavailable when it cannot be used, or a service or another move is connected to it
 * @throws SchemaTooOld (source), SchemaTooNew
 */
export async function openPostgresMove({ url }: { readonly url: string }, role: MoveRole): Promise<MovableStore> {
  const move = new PostgresMove(url);
  try {
    // First of all: what follows has connections of its own, of which the server may know a moment longer than we do.
    await move.connectAlone();
    if (role === "target") await migratePostgres(url);
    const pending = await pendingPostgresMigrations(url);
    if (pending.length > 0) throw new SchemaTooOld(pending);
    await move.begin(role);
    return move;
  } catch (error) {
    await move[Symbol.asyncDispose]();
    throw error;
  }
}

class PostgresMove implements MovableStore {
  readonly #client: Client;

  constructor(url: string) {
    this.#client = new Client({
      application_name: `${applicationName} move`,
      ...addressOf(url),
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      types: columnTypes,
    });
    // A query that is under way is told of a lost connection.
    this.#client.on("error", () => {});
  }

  /** @throws StorageUnavailable, also when a service is connected and stays */
  async connectAlone(): Promise<void> {
    await this.#client.connect().catch((error: unknown) => Promise.reject(asStorageError(error)));
    const giveUpAt = performance.now() + endingMs;
    while ((await this.#ask({ text: findServices, values: [applicationName] })).length > 0) {
      if (performance.now() >= giveUpAt) {
        throw new StorageUnavailable("A service or a command is connected to this database: stop it first.");
      }
      await pause(endingPauseMs);
    }
  }

  /** Begins the transaction, and keeps others from writing until it ends. */
  async begin(role: MoveRole): Promise<void> {
    const tables = movedTables.map(({ name }) => name).join(", ");
    await this.#ask({
      text: `BEGIN ISOLATION LEVEL ${role === "source" ? "REPEATABLE READ" : "READ COMMITTED"};
        SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
        SET LOCAL lock_timeout = ${lockMs}; SET LOCAL synchronous_commit = on; ${setNoEnd};
        LOCK TABLE ${tables} IN ${role === "source" ? "SHARE" : "EXCLUSIVE"} MODE`,
    });
    const [free] = await this.#ask({ text: `SELECT pg_try_advisory_xact_lock(${moveLock})::integer AS locked` });
    if (free?.["locked"] !== 1) {
      throw new StorageUnavailable(
        "Another move is under way from or to this database, or it is to be moved to itself.",
      );
    }
    if (role === "target") await this.#ask({ text: "DELETE FROM store" });
  }

  read({ name, key }: MovedTable, after: RowKey | null, limit: number): Promise<readonly Row[]> {
    const columns = key.join(", ");
    const place = after === null ? "" : `WHERE (${columns}) > (${key.map((_, index) => `$${index + 2}`).join(", ")})`;
    const text = `SELECT * FROM ${name} ${place} ORDER BY ${columns} LIMIT $1`;
    return this.#ask({ text, values: [limit, ...(after ?? [])] });
  }

  async insert({ name }: MovedTable, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {}).join(", ");
    const text = `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1)`;
    await this.#ask({ text, values: [JSON.stringify(rows)] });
  }

  async lastNumber({ name, key }: MovedTable): Promise<number> {
    const text = "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0) AS last";
    const [row] = await this.#ask({ text, values: [name, key[0]] });
    return Number(row?.["last"]);
  }

  async continueBehind({ name, key }: MovedTable, lastNumber: number): Promise<void> {
    const text = "SELECT setval(pg_get_serial_sequence($1, $2)::regclass, greatest($3::bigint, 1), $3 > 0)";
    await this.#ask({ text, values: [name, key[0], lastNumber] });
  }

  async commit(): Promise<void> {
    await this.#ask({ text: "COMMIT" });
  }

  /** What was not committed ends with the connection. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.end();
  }

  async #ask(query: QueryConfig): Promise<Row[]> {
    try {
      return (await this.#client.query<Row>(query)).rows;
    } catch (error) {
      throw asStorageError(error);
    }
  }
}

const findServices = `
  SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`;
