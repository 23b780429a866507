// Opens the PostgreSQL engine: it checks the server and its schema, and then makes the store. A failure closes the
// connections again.
import type { PoolConfig } from "pg";
import type { Clock } from "../../clock.ts";
import type { Access } from "../open-store.ts";
import { SchemaTooOld } from "../schema-version.ts";
import { StorageUnavailable, type Store } from "../store.ts";
import { addressOf } from "./address.ts";
import { Connections } from "./connections.ts";
import { sqlState } from "./errors.ts";
import { applyPending, findPending } from "./migrate.ts";
import { makePostgresStore } from "./postgres-store.ts";
import { startServerClock } from "./server-clock.ts";
import { prepared } from "./statement.ts";

/** The oldest release that its makers still look after. */
const versionMin = 14;

/** A page of an export, from a replica that has other things to do. */
const exportAnswerMs = 30_000;

/** Where the database is, and how many connections one process may have to it. */
export interface PostgresLocation {
  readonly url: string;
  /** A copy to read exports from; null: there is none. */
  readonly replicaUrl: string | null;
  readonly poolMax: number;
}

/**
 * Opens the store. Read-only, that is for the command line, it reads the replica if there is one.
 *
 * @throws StorageUnavailable when the server cannot be used
 * @throws SchemaTooNew, SchemaTooOld (read-only, or where this role may not migrate) when the schema does not fit
 */
export async function openPostgresStore(
  { url, replicaUrl, poolMax }: PostgresLocation,
  { access, clock }: { readonly access: Access; readonly clock: Clock },
): Promise<Store> {
  const address = addressOf(access === "read-only" ? (replicaUrl ?? url) : url);
  const answer = access === "read-only" ? { answerMs: exportAnswerMs } : {};
  await using opened = new AsyncDisposableStack();
  const connections = opened.use(new Connections(address, { max: poolMax, ...answer }));
  await checkServer(connections);
  const pending = (await findPending(connections)).map(({ name }) => name);
  if (pending.length > 0 && access === "read-only") throw new SchemaTooOld(pending);
  // A role that may only read and write rows can start the service all the same, once another one has migrated.
  if (pending.length > 0) {
    await migrateAt(address).catch((error: unknown) => {
      throw sqlState(error) === "42501" ? new SchemaTooOld(pending) : error;
    });
  }
  const [row] = await connections.all(readStore);
  if (row === undefined) throw new StorageUnavailable("The database has lost its row in the table store.");
  const serverClock = opened.use(await startServerClock(connections, clock));
  return makePostgresStore(connections, serverClock, row, opened.move());
}

/** Applies what is pending. Answers the names of what this process applied. */
export async function migratePostgres({ url }: Pick<PostgresLocation, "url">): Promise<string[]> {
  return migrateAt(addressOf(url));
}

async function migrateAt(address: PoolConfig): Promise<string[]> {
  // Migrations take as long as they take.
  await using connections = new Connections(address, { max: 1, answerMs: 0 });
  await checkServer(connections);
  return await applyPending(connections);
}

/** Names of the migrations that the database lacks. Writes nothing. */
export async function pendingPostgresMigrations({ url }: Pick<PostgresLocation, "url">): Promise<string[]> {
  await using connections = new Connections(addressOf(url), { max: 1 });
  return (await findPending(connections)).map(({ name }) => name);
}

async function checkServer(connections: Connections): Promise<void> {
  const [server] = await connections.all(readServer);
  if (server === undefined || server.version < versionMin * 10_000) {
    throw new StorageUnavailable(`PostgreSQL ${versionMin} or later is needed.`);
  }
  if (server.encoding !== "UTF8") throw new StorageUnavailable("The database must have the encoding UTF8.");
}

const readServer = prepared<{ version: number; encoding: string }>(
  `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
);

const readStore = prepared<{ identity: string; referenceKey: string }>(
  `SELECT identity, reference_key AS "referenceKey" FROM store`,
);
