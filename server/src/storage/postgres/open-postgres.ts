// Opens the PostgreSQL engine: the server and its schema are looked at, and only then there is a store. Whatever fails
// closes the connections again.
import { CompiledQuery } from "kysely";
import type { PoolConfig } from "pg";
import type { Migration } from "../migrations.ts";
import { createQueries } from "../queries/compile.ts";
import { SchemaTooOld } from "../schema-version.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { Connections } from "./connections.ts";
import { sqlState } from "./errors.ts";
import { applyPending, findPending, postgresMigrations } from "./migrate.ts";
import { PostgresStore } from "./postgres-store.ts";
import { postgresDialect } from "./queries.ts";

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
  access: "read-write" | "read-only",
): Promise<PostgresStore> {
  const address = addressOf(access === "read-only" ? (replicaUrl ?? url) : url);
  const answer = access === "read-only" ? { answerMs: exportAnswerMs } : {};
  return closingOnFailure(new Connections(address, { max: poolMax, ...answer }), async (connections) => {
    await checkServer(connections);
    const pending = await findPending(connections, postgresMigrations());
    if (pending.length > 0 && access === "read-only") throw tooOld(pending);
    // A role that may only read and write rows can start the service all the same, once another one has migrated.
    if (pending.length > 0) await migrateAt(address).catch((error: unknown) => throwTooOld(error, pending));
    return new PostgresStore(connections, { transactionsAtOnce: Math.max(1, Math.floor(poolMax / 2)) });
  });
}

/** Applies what is pending. Answers the names of what this process applied. */
export async function migratePostgres({ url }: PostgresLocation): Promise<string[]> {
  return migrateAt(addressOf(url));
}

async function migrateAt(address: PoolConfig): Promise<string[]> {
  // Migrations take as long as they take.
  await using connections = new Connections(address, { max: 1, answerMs: 0 });
  await checkServer(connections);
  return await applyPending(connections, createQueries(postgresDialect), postgresMigrations());
}

/** Names of the migrations that the database lacks. Writes nothing. */
export async function pendingPostgresMigrations({ url }: PostgresLocation): Promise<string[]> {
  await using connections = new Connections(addressOf(url), { max: 1 });
  return (await findPending(connections, postgresMigrations())).map(({ name }) => name);
}

const tooOld = (pending: readonly Migration[]) => new SchemaTooOld(pending.map(({ name }) => name));

function throwTooOld(error: unknown, pending: readonly Migration[]): never {
  const mayNot = error instanceof StorageUnavailable && sqlState(error.cause) === "42501";
  throw mayNot ? tooOld(pending) : error;
}

async function closingOnFailure<T>(
  connections: Connections,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  try {
    return await work(connections);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

async function checkServer(connections: Connections): Promise<void> {
  const [server] = await connections.read(settings);
  if (server === undefined || server.version < versionMin * 10_000) {
    throw new StorageUnavailable(`PostgreSQL ${versionMin} or later is needed.`);
  }
  if (server.encoding !== "UTF8") throw new StorageUnavailable("The database must have the encoding UTF8.");
}

const settings: CompiledQuery<{ version: number; encoding: string }> = CompiledQuery.raw(
  `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
);
