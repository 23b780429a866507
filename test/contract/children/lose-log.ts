// Accepts into the database named on the command line, on a disk that loses what could not be synced: when a sync fails,
// the log reads as it did before. Says how many submissions were acknowledged by then.
import fs, { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { accept, inquiry, offer } from "../records.ts";

const file = process.argv[2] ?? "";
const log = `${file}-wal`;
const store = await openStore({ kind: "sqlite", file });
const acceptAll = (numbers: readonly number[]) => Promise.all(numbers.map((number) => accept(store, inquiry(number))));

// The log's second round: behind the newest frames stand older ones, which are whole but of another round.
await acceptAll(Array.from({ length: 40 }, (_, number) => number));
const other = new DatabaseSync(file);
other.exec("PRAGMA wal_checkpoint(RESTART)");
other.close();
await acceptAll([40, 41, 42]);
const synced = readFileSync(log);

const fdatasync = (_file: number, done: (error: Error) => void) => {
  const descriptor = openSync(log, "r+");
  writeSync(descriptor, synced, 0, synced.length, 0);
  closeSync(descriptor);
  setImmediate(done, Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
};
Object.assign(fs, { fdatasync });
syncBuiltinESMExports();
await offer(store, inquiry(50)).catch(() => {});
process.send?.(43, () => void offer(store, inquiry(51)));
