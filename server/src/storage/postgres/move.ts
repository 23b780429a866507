// A PostgreSQL store that is copied, or filled: one transaction on one connection.
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { type MovableStore, movedTables, type MoveRole, type Row } from "../move.ts";
import { SchemaTooOld } from "../schema-version.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { applicationName, columnTypes, setNoEnd } from "./connections.ts";
import { asStorageError } from "./errors.ts";
import { migratePostgres, pendingPostgresMigrations } from "./migrate.ts";
import { lockForRestore } from "./service-lock.ts";

/** Longer than a service waits: no caller does here, only a server that is down should show. In milliseconds. */
const connectMs = 10_000;
const lockMs = 2_000;
/** The server may know a moment longer of a connection that has ended. */
const endingMs = 1_000;
const endingPauseMs = 100;

/** See `openMovable`. */
export async function openPostgresMove({ url }: { readonly url: string }, role: MoveRole): Promise<MovableStore> {
  await using opened = new AsyncDisposableStack();
  const client = new Client({
    application_name: `${applicationName} move`,
    ...addressOf(url),
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types: columnTypes,
  });
  // A query that is under way fails when the connection is lost.
  client.on("error", () => {});
  // What was not committed ends with the connection.
  opened.defer(() => client.end());
  const usable = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => Promise.reject(asStorageError(error)));
  const query: MovableStore["query"] = async (text, values = []) =>
    (await usable(client.query<Row>(text, [...values]))).rows;

  const [mode, lock] =
    role === "source" ? ["REPEATABLE READ, READ ONLY", "ACCESS SHARE"] : ["READ COMMITTED", "EXCLUSIVE"];
  await usable(client.connect());
  await usable(
    client.query(
      `BEGIN ISOLATION LEVEL ${mode};
      SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
      SET LOCAL lock_timeout = ${lockMs}; SET LOCAL synchronous_commit = on`,
    ),
  );
  if (role === "target") {
    await query(setNoEnd);
    await lockOutServices(query);
    await migratePostgres(url);
  }
  const pending = await pendingPostgresMigrations(url);
  if (pending.length > 0) throw new SchemaTooOld(pending);
  const tables = movedTables.map(({ name }) => name).join(", ");
  // The lock comes first, then the moment whose rows a source shows: no migration can come between them.
  await usable(client.query(`LOCK TABLE ${tables} IN ${lock} MODE; ${setNoEnd}`));
  const held = opened.move();

  return {
    query,
    async insert({ name }, rows) {
      const columns = Object.keys(rows[0] ?? {}).join();
      const text = `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1)`;
      await query(text, [JSON.stringify(rows)]);
    },
    async lastNumber({ name, key: [column = ""] }) {
      const text = "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0) AS last";
      const [row] = await query(text, [name, column]);
      return Number(row?.["last"]);
    },
    async continueBehind({ name, key: [column = ""] }, lastNumber) {
      const text = "SELECT setval(pg_get_serial_sequence($1, $2)::regclass, greatest($3::bigint, 1), $3 > 0)";
      await query(text, [name, column, lastNumber]);
    },
    commit: async () => void (await query("COMMIT")),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** @throws StorageUnavailable while a service holds the database, or another restore */
async function lockOutServices(query: MovableStore["query"]): Promise<void> {
  const giveUpAt = performance.now() + endingMs;
  while ((await query(lockForRestore)).length === 0) {
    if (performance.now() >= giveUpAt) {
      throw new StorageUnavailable("A service or a command is connected to this database: stop it first.");
    }
    await pause(endingPauseMs);
  }
}
