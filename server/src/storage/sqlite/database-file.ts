// The file of the database: made private and durable, and watched. SQLite goes on writing into a file that was deleted
// or replaced, and everything that it then acknowledges is lost.
import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StorageUnavailable } from "../store.ts";

// The messages are for operators, at the terminal and in the log. Callers get words of the fault table.
const advice = "Set DATA_DIR to another folder.";

const adviceOn = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === "EACCES"
    ? `${advice} Or run this as the user whom this one belongs to.`
    : advice;

/** Makes the file, mode 0600, and its folder, mode 0700, where they are missing. What exists keeps its mode. */
export function createDatabaseFile(file: string): void {
  const folder = dirname(file);
  try {
    makeFolder(folder);
    if (makeEmpty(file)) syncFolder(folder);
  } catch (error) {
    throw new StorageUnavailable(`The database file ${file} cannot be made. ${adviceOn(error)}`, { cause: error });
  }
}

// Level by level: Node's own `recursive` never ends where a folder that exists answers ENOENT, as /proc does.
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncFolder(dirname(folder));
}

// SQLite gives its log and the index of the log the mode of this file. An existing file is not even opened: POSIX drops
// all locks that a process holds on a file when the process closes any descriptor of it.
function makeEmpty(file: string): boolean {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

// A new name is durable only when its folder is.
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Remembers which files the database consists of. To be called before SQLite opens the file.
 * @returns a function that costs a few microseconds, and throws StorageUnavailable when the database or its log was deleted
 *   or replaced
 */
export function guardFile(file: string): () => void {
  const database = identify(file) ?? refuse(`There is no database file ${file}. ${advice}`);
  // SQLite makes the log when it first needs it, and keeps it while a connection is open.
  let log: string | undefined;
  return () => {
    if (identify(file) !== database) refuse("The database file was deleted or replaced.");
    const found = identify(`${file}-wal`);
    log ??= found;
    if (found !== log) refuse("The database's log was deleted or replaced.");
  };
}

function identify(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : `${found.dev}:${found.ino}`;
  } catch (error) {
    throw new StorageUnavailable(`The database file ${path} cannot be reached. ${adviceOn(error)}`, { cause: error });
  }
}

function refuse(reason: string): never {
  throw new StorageUnavailable(reason);
}
