// One service on one database, and a lock that never outlives the service that held it.
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockStore } from "../../server/src/storage/open-store.ts";
import { lockForService } from "../../server/src/storage/sqlite/service-lock.ts";
import { StorageUnavailable } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import { startChild } from "./children/child.ts";

const sqlite = (file: string) => ({ kind: "sqlite", file }) as const;

test("a second service is refused, in another process and in the same one, and the next one is not", async () => {
  await using folder = await openFolder();
  const file = join(folder.path, "store.db");
  await using child = startChild("hold-service-lock", file);
  expect(await child.hear()).toBe("holding");
  await expect(lockForService(file, 0)).rejects.toThrow(/^Another service is running on this database/);
  child.tell();
  await child.ended();
  await using held = await lockStore(sqlite(file));
  await expect(lockForService(file, 0)).rejects.toBeInstanceOf(StorageUnavailable);
  (held as Disposable)[Symbol.dispose]();
  await using again = await lockStore(sqlite(file));
  expect(again).toBeDefined();
});

test("two paths to one database are one database", async () => {
  await using folder = await openFolder();
  await using _held = await lockStore(sqlite(join(folder.path, "store.db")));
  await symlink(join(folder.path, "store.db"), join(folder.path, "other.db"));
  await expect(lockForService(join(folder.path, "other.db"), 0)).rejects.toBeInstanceOf(StorageUnavailable);
});

test("owners, every other one killed, leave no lock behind", async () => {
  await using folder = await openFolder();
  for (let round = 0; round < 3; round += 1) {
    await using child = startChild("hold-service-lock", join(folder.path, "store.db"));
    expect(await child.hear(), `round ${round}`).toBe("holding");
    if (round % 2 === 0) child.process.kill("SIGKILL");
    else child.tell();
    await child.ended();
  }
});
