// Keeps a restore off a database that services use: each service holds a shared lock, which a restore wants for itself. It is
// the lock of a transaction that stays open on a connection of its own. So it ends with its process, however that ends, also
// behind a pooler: those keep the connections of a service that has ended, but none that is within a transaction.
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { repeatedly } from "../../repeatedly.ts";
import { StorageUnavailable } from "../store.ts";
import { addressOf } from "./address.ts";
import { applicationName, setNoEnd } from "./connections.ts";
import { asStorageError } from "./errors.ts";

/** Any number will do that nothing else in the database uses. */
const serviceLock = 7_326_450_002;

/** Then a new transaction takes the place of the old one: monitors look for transactions that were forgotten. */
const heldMs = 5 * 60_000;
const answerMs = 2_000;
const endMs = 500;

/** What a restore asks within its transaction. It gives a row unless a service holds the lock, or another restore. */
export const lockForRestore = `SELECT 1 AS one WHERE pg_try_advisory_xact_lock(${serviceLock})`;

const holdAsService = `
  BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; ${setNoEnd};
  SELECT 1 WHERE pg_try_advisory_xact_lock_shared(${serviceLock})`;

/**
 * Holds the lock until disposed of. Where the connection is lost it is taken again: the service goes on meanwhile.
 * @throws StorageUnavailable when the server cannot be reached, or a restore is under way
 */
export async function lockForService(url: string): Promise<AsyncDisposable> {
  let held = await hold(url);
  const holding = repeatedly(async (signal) => {
    await Promise.race([held.lost, pause(heldMs, undefined, { signal, ref: false }).catch(() => {})]);
    if (signal.aborted) return 0;
    // The server may be away, or a restore may have come in between.
    const next = await hold(url).catch(() => null);
    if (next === null) return answerMs;
    const ending = signal.aborted ? next : held;
    if (!signal.aborted) held = next;
    await ending.end();
    return 0;
  });
  return {
    async [Symbol.asyncDispose]() {
      // Not waited for: the server may hang.
      void holding[Symbol.asyncDispose]();
      await held.end();
    },
  };
}

async function hold(url: string) {
  const client = new Client({
    application_name: `${applicationName} lock`,
    ...addressOf(url),
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    keepAlive: true,
  });
  const lost = new Promise<void>((resolve) => client.once("end", resolve));
  client.on("error", () => {});
  // A server that hangs does not end its side.
  const end = () => Promise.race([client.end(), pause(endMs, undefined, { ref: false })]);
  try {
    await client.connect();
    const answers = [await client.query(holdAsService)].flat();
    if (answers.at(-1)?.rowCount !== 1) {
      throw new StorageUnavailable("A restore is filling this database: start the service when it has ended.");
    }
    return { lost, end };
  } catch (error) {
    await end();
    throw error instanceof StorageUnavailable ? error : asStorageError(error);
  }
}
