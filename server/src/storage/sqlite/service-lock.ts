// Keeps a second service off a database: each would count calls and keys under way by itself. The lock is a transaction
// held open on a file of its own, so that it never blocks the command line. The kernel drops it when the process ends,
// however that happens.
import { realpathSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StorageUnavailable } from "../store.ts";
import { asOpeningError, busyWaitMs, isBusy, retryWhileBusy } from "./errors.ts";
import { createDatabaseFile } from "./database-file.ts";

/**
 * Takes the lock, making files and folder where they are missing. Held until disposed of.
 * @param waitMs how long it waits for a process that is just ending
 * @throws StorageUnavailable when another service holds it, or the folder cannot be written
 */
export async function lockForService(file: string, waitMs: number = busyWaitMs): Promise<Disposable> {
  createDatabaseFile(file);
  // By its real name: two paths to one database are one database.
  const lockFile = `${realpathSync(file)}.lock`;
  createDatabaseFile(lockFile);
  return retryWhileBusy(() => take(lockFile), waitMs).catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable) || !isBusy(error.cause)) throw asOpeningError(error, file);
    const message = "Another service is running on this database: stop it, or give this one another DATA_DIR.";
    throw new StorageUnavailable(message);
  });
}

function take(lockFile: string): DatabaseSync {
  const database = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
