// Which errors of SQLite mean that the database cannot be used now: they become `StorageUnavailable`. All others are mistakes
// in this program and pass through, so that they are found. A lock is waited for without blocking the event loop.
import { accessSync, constants } from "node:fs";
import { StorageUnavailable } from "../store.ts";
import { setTimeout as pause } from "node:timers/promises";

// Primary result codes, https://sqlite.org/rescode.html. Extended codes carry more in their higher bytes: 517 is BUSY
// because of an outdated snapshot.
const busyCodes = new Map([
  [5, "locked by another process"],
  [6, "locked by another connection"],
  [15, "contended while its log was opened"],
]);
const readOnly = 8;
const notOpened = 14;
const full = 13;
const failing = 10;
const corrupt = 11;
const failureCodes = new Map([
  [7, "out of memory"],
  [readOnly, "read-only"],
  [failing, "failing to read or write its disk"],
  [corrupt, "corrupt"],
  [full, "out of disk space"],
  [notOpened, "not to be opened"],
  [26, "not an SQLite database"],
]);

const primaryCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;

/** The index of the log cannot grow. It is a file of the same disk. */
const noRoomForIndex = 4_874;

// node:sqlite says this of a closed handle, with no SQLite code: the store is shutting down.
const isClosed = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_INVALID_STATE";

/** Whether another connection holds a lock, so that trying again soon makes sense. */
export const isBusy = (error: unknown): boolean => busyCodes.has(primaryCode(error) ?? -1);

/** The error as the port promises it, or null when it is not about the database being unusable. */
export function asUnavailable(error: unknown): StorageUnavailable | null {
  if (error instanceof StorageUnavailable) return error;
  const isFull = error instanceof Error && "errcode" in error && error.errcode === noRoomForIndex;
  const code = isFull ? full : (primaryCode(error) ?? -1);
  const state = busyCodes.get(code) ?? failureCodes.get(code) ?? (isClosed(error) ? "closed" : undefined);
  if (state === undefined) return null;
  const isDamage = code === corrupt || code === failing;
  return new StorageUnavailable(`The database is ${state}.`, { cause: error, isDamage });
}

/** Whether opening failed because SQLite cannot make or enlarge the files beside the database. */
export function isOfLog(error: unknown): boolean {
  const code = primaryCode(error instanceof StorageUnavailable ? error.cause : error) ?? -1;
  return [notOpened, readOnly, failing].includes(code);
}

/** SQLite says neither which file it could not open, nor that it is a matter of permissions. */
export function asOpeningError(error: unknown, file: string): unknown {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  const code = primaryCode(cause) ?? -1;
  if (code !== notOpened && code !== readOnly) return error;
  if (isOnReadOnlyDisk(file)) {
    return new StorageUnavailable(`The database is read-only, because its disk is: ${file}.`, { cause });
  }
  return new StorageUnavailable(
    `The database file ${file}, or a file beside it that ends in -wal, -shm or .lock, may not be read and written. Run this as the user whom the files belong to.`,
    { cause },
  );
}

function isOnReadOnlyDisk(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

/**
 * SQLite gives the transaction up whose COMMIT failed, and the next one overwrites its frames in the log. But they may be
 * whole: if every process ends before that, recovery takes them for committed. On a full disk they are not whole.
 */
export function asCommitError(error: unknown): unknown {
  const code = primaryCode(error) ?? -1;
  const state = failureCodes.get(code);
  if (state === undefined || code === full) return error;
  return new StorageUnavailable(`The database is ${state}, at a commit.`, { cause: error, outcome: "unknown" });
}

/** SQLite's own wait for a lock. It blocks the event loop: enough for the ordinary commit of another process, and not felt. */
export const engineWaitMs = 5;

/** Pause between two tries. */
export const busyPauseMs = 10;

/** How long work waits for a lock before it is given up. The caller still waits for the answer then. */
export const busyWaitMs = 1_000;

/**
 * Runs work again while another process holds a lock. It must change nothing when it throws.
 * @throws StorageUnavailable when the database cannot be used, or stayed locked for `waitMs`
 */
export async function retryWhileBusy<T>(work: () => T, waitMs: number = busyWaitMs): Promise<T> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw asUnavailable(error) ?? error;
    }
    await pause(busyPauseMs);
  }
}
