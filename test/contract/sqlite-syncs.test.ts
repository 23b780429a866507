// What of an SQLite database is on the disk when a caller is answered, and what happens when a sync fails. Copies of
// the files stand for a power cut: once a sync has ended, the disk surely holds what was written before it began, and
// no more.
import fs, { cpSync, mkdirSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { openStore } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import { startChild } from "./children/child.ts";
import { accept, inquiries, inquiry, noon, offer } from "./records.ts";
import { openSqliteUnderTest, sqliteTest as test, useRaw, type SqliteUnderTest } from "./sqlite-under-test.ts";

const realSync = fs.fdatasync;
type Sync = (file: number, done: (error: NodeJS.ErrnoException | null) => void) => void;

function replaceSync(sync: Sync): void {
  Object.assign(fs, { fdatasync: sync });
  syncBuiltinESMExports();
}

// What takes a second on another thread, or on a busy machine, is synced by this one. Only one test waits for that.
beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  replaceSync(realSync);
});

const diskError = () => Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });

/** Makes the next syncs fail. */
function failSyncs(count: number): void {
  let left = count;
  replaceSync((file, done) => ((left -= 1) >= 0 ? setImmediate(done, diskError()) : realSync(file, done)));
}

/** The references in a copy of the database, with its log or without. */
function referencesIn(folder: string, name: string): readonly string[] {
  return useRaw(join(folder, name), (database) =>
    database
      .prepare("SELECT reference FROM submission ORDER BY arrival")
      .all()
      .map((row) => String(row["reference"])),
  );
}

function copyOf({ file, folder }: SqliteUnderTest, name: string, parts: readonly string[]): string {
  const copy = join(folder, name);
  mkdirSync(copy);
  for (const part of parts) cpSync(file + part, join(copy, `submissions.db${part}`));
  return copy;
}

test("what is acknowledged was in the log when its sync began", async ({ tested }) => {
  let copies = 0;
  let onDisk = "";
  replaceSync((file, done) => {
    const copy = copyOf(tested, `sync-${(copies += 1)}`, ["", "-wal"]);
    realSync(file, (error) => {
      onDisk = copy;
      done(error);
    });
  });
  const acknowledged: { reference: string; onDisk: string }[] = [];
  for (let round = 0; round < 12; round += 1) {
    await Promise.all(
      Array.from({ length: 8 }, async (_, place) => {
        const { reference } = await accept(tested.store, inquiry(8 * round + place));
        acknowledged.push({ reference: reference ?? "", onDisk });
      }),
    );
  }
  expect(acknowledged).toHaveLength(96);
  for (const copy of new Set(acknowledged.map((one) => one.onDisk))) {
    const mine = acknowledged.filter((one) => one.onDisk === copy).map(({ reference }) => reference);
    expect(referencesIn(copy, "submissions.db")).toEqual(expect.arrayContaining(mine));
  }
});

test("the event loop goes on while a sync is under way", async ({ tested }) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<() => void>();
  replaceSync((file, done) => begin(() => realSync(file, done)));
  const accepted = accept(tested.store, inquiry(1));
  const letItEnd = await begun;
  // Reads go on too. What is not yet synced is not acknowledged.
  expect(await tested.store.mailBacklog()).toMatchObject({ queued: 2 });
  expect(await Promise.race([accepted, Promise.resolve("open")])).toBe("open");
  letItEnd();
  expect(await accepted).toMatchObject({ result: "accepted" });
});

test("a sync that fails leaves the outcome open, and the next commit begins the log anew", async ({
  store,
  tested,
}) => {
  await accept(store, inquiry(1));
  failSyncs(1);
  await expect(offer(store, inquiry(2))).rejects.toMatchObject({
    name: "StorageUnavailable",
    outcome: "unknown",
    cause: { code: "EIO" },
  });
  const before = statSync(`${tested.file}-wal`).size;
  const { reference } = await accept(store, inquiry(3));
  expect(statSync(`${tested.file}-wal`).size).toBeLessThan(before);
  // The kernel may have lost pages of the old log, so all that it held must be in the database.
  expect(referencesIn(copyOf(tested, "without-log", [""]), "submissions.db")).toHaveLength(2);
  expect(referencesIn(copyOf(tested, "with-log", ["", "-wal"]), "submissions.db")).toContain(reference);
  expect(await inquiries(store)).toHaveLength(3);
});

test("nothing is committed before the log is open to be synced", async ({ tested }) => {
  const { openSync } = fs;
  const open = (path: fs.PathLike, flags: string) => {
    if (String(path).endsWith("-wal"))
      throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    return openSync(path, flags);
  };
  Object.assign(fs, { openSync: open });
  syncBuiltinESMExports();
  try {
    await expect(offer(tested.store, inquiry(1))).rejects.toMatchObject({
      name: "StorageUnavailable",
      outcome: "not-stored",
    });
  } finally {
    Object.assign(fs, { openSync });
    syncBuiltinESMExports();
  }
  expect(await inquiries(tested.store)).toEqual([]);
  expect(await accept(tested.store, inquiry(2))).toMatchObject({ result: "accepted" });
  expect(await inquiries(tested.store)).toHaveLength(1);
});

test("while the old log cannot be emptied nothing is stored, and no repeated key is answered", async ({
  store,
  tested,
}) => {
  const { file } = tested;
  const key = { procedure: "marketplace.inquiry", keyHash: "k", fingerprint: "f", createdAt: noon };
  const reader = new DatabaseSync(file);
  try {
    await accept(store, inquiry(0));
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM submission").get();
    failSyncs(1);
    await expect(offer(store, inquiry(1), { key })).rejects.toMatchObject({ outcome: "unknown" });
    await expect(offer(store, inquiry(2))).rejects.toMatchObject({ outcome: "not-stored" });
    await expect(store.findEarlier(key)).rejects.toMatchObject({ name: "StorageUnavailable" });
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
  } finally {
    reader.close();
  }
  expect(await store.findEarlier(key)).toMatchObject({ fingerprint: "f" });
  expect(await store.checkReadiness()).toEqual({ ready: true });
  expect(await inquiries(store)).toHaveLength(2);
});

test("a log that lost what was written to it is not moved into the database: the process ends, and recovery takes what is whole", async () => {
  await using folder = await openFolder();
  const file = join(folder.path, "submissions.db");
  await using child = startChild("lose-log", file);
  const acknowledged = await child.hear();
  expect(await child.ended()).toEqual([null, "SIGKILL"]);
  await using store = await openStore({ kind: "sqlite", file });
  expect(await inquiries(store)).toHaveLength(Number(acknowledged));
  expect(await accept(store, inquiry(60))).toMatchObject({ result: "accepted" });
  const check = useRaw(file, (database) => database.prepare("PRAGMA integrity_check").all());
  expect(check).toEqual([{ integrity_check: "ok" }]);
});

test("threads that hang hold up no commit", async () => {
  vi.useRealTimers();
  await using tested = await openSqliteUnderTest();
  const hanging: (() => void)[] = [];
  replaceSync((file, done) => void hanging.push(() => realSync(file, done)));
  expect(await accept(tested.store, inquiry(1))).toMatchObject({ result: "accepted" });
  expect(await accept(tested.store, inquiry(2))).toMatchObject({ result: "accepted" });
  expect(hanging).toHaveLength(1);
  hanging[0]!();
});

const handedOn: readonly [string, (store: Store) => Promise<readonly unknown[]>][] = [
  ["an export", inquiries],
  ["the audit log", (store) => Array.fromAsync(store.desk.readAudit(0))],
  ["the list of files to remove", (store) => store.desk.resumesToDiscard(10)],
];

test.for(handedOn)("%s hands on nothing that a power cut could take back", async ([_what, read], { store }) => {
  await accept(store, inquiry(1));
  const { promise: begun, resolve: begin } = Promise.withResolvers<() => void>();
  replaceSync((file, done) => begin(() => realSync(file, done)));
  const accepted = accept(store, inquiry(2));
  const letItEnd = await begun;
  let isRead = false;
  const reading = read(store).then(() => (isRead = true));
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  expect(isRead).toBe(false);
  letItEnd();
  expect(await reading).toBe(true);
  await accepted;
});

test("another process that exports syncs what it read, because it cannot tell what is on its way", async ({
  tested,
}) => {
  await accept(tested.store, inquiry(1));
  await using reader = await openStore({ kind: "sqlite", file: tested.file }, { access: "read-only" });
  failSyncs(1);
  await expect(inquiries(reader)).rejects.toMatchObject({ name: "StorageUnavailable" });
  expect(await inquiries(reader)).toHaveLength(1);
});

test("another process that exports hands out nothing that came after its sync began", async ({ tested }) => {
  const first = await accept(tested.store, inquiry(1));
  await using reader = await openStore({ kind: "sqlite", file: tested.file }, { access: "read-only" });
  replaceSync((file, done) => {
    replaceSync(realSync);
    void accept(tested.store, inquiry(2)).then(() => realSync(file, done));
  });
  const read = await inquiries(reader);
  expect(read.map(({ reference }) => reference)).toEqual([first.reference]);
  expect(await inquiries(reader)).toHaveLength(2);
});
