// An SQLite database as a start leaves it in an empty data folder. To make each anew would take a third of a start.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "../../server/src/storage/open-store.ts";
import { openFolder } from "./folder.ts";

let made: Promise<Buffer> | undefined;

async function make(): Promise<Buffer> {
  await using folder = await openFolder();
  const file = join(folder.path, "submissions.sqlite");
  await migrate({ kind: "sqlite", file });
  return await readFile(file);
}

/** Puts the database there. All have the same keys, as databases made from the template of PostgreSQL do. */
export async function putMigratedDatabase(file: string): Promise<void> {
  await writeFile(file, await (made ??= make()), { mode: 0o600, flag: "wx" });
}
