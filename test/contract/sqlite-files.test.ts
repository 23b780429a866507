// What the SQLite engine does about its files: private, watched, copied while in use, and whole after a crash.
import fs from "node:fs";
import { copyFile, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { platform } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { createDatabaseFile } from "../../server/src/storage/sqlite/database-file.ts";
import { StorageUnavailable, type Store } from "../../server/src/storage/store.ts";
import { accept, acceptReference, allMails, application, inquiries, inquiry, noon, offer } from "./records.ts";
import { sqliteTest as test } from "./sqlite-under-test.ts";
import { wholeScope } from "../../server/src/storage/desk-store.ts";

const mode = async (path: string) => (await stat(path)).mode & 0o777;

async function expectRefused(store: Store): Promise<void> {
  await expect(offer(store, inquiry(1))).rejects.toBeInstanceOf(StorageUnavailable);
  expect(await store.checkReadiness()).toMatchObject({ ready: false, reason: expect.any(String) });
}

describe("the database files", () => {
  test("belong to the service's user alone, and are one file again after the store is closed", async ({ tested }) => {
    await accept(tested.store, inquiry(1));
    const folder = dirname(tested.file);
    expect(await mode(folder)).toBe(0o700);
    const files = await readdir(folder);
    expect(files.toSorted()).toEqual(["submissions.db", "submissions.db-shm", "submissions.db-wal"]);
    for (const file of files) expect(await mode(join(folder, file))).toBe(0o600);
    await tested.store[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual(["submissions.db"]);
  });
});

/** Files and folders that this process syncs from now on, until the test ends. */
function watchSyncs(): readonly string[] {
  const synced: string[] = [];
  const real = fs.fsyncSync;
  const replace = (fsyncSync: typeof real) => {
    Object.assign(fs, { fsyncSync });
    syncBuiltinESMExports();
  };
  onTestFinished(() => replace(real));
  replace((descriptor) => {
    synced.push(fs.readlinkSync(`/proc/self/fd/${descriptor}`));
    real(descriptor);
  });
  return synced;
}

test.runIf(platform() === "linux")(
  "each folder that is made for a database is synced into the one above it",
  ({ tested }) => {
    const synced = watchSyncs();
    const data = join(tested.folder, "srv", "data");
    createDatabaseFile(join(data, "submissions.sqlite"));
    expect(synced).toEqual([tested.folder, join(tested.folder, "srv"), data]);
  },
);

describe("a database that is no longer where it was", () => {
  test.for([
    ["its file was deleted", (file: string) => unlink(file)],
    ["its log was deleted", (file: string) => unlink(`${file}-wal`)],
  ] as const)("is never written to once %s", async ([_what, spoil], { tested }) => {
    await spoil(tested.file);
    await expectRefused(tested.store);
  });

  test("is never written to once it was replaced, nor is its replacement", async ({ tested }) => {
    const other = `${tested.file}.other`;
    await copyFile(tested.file, other);
    const untouched = await stat(other);
    await rename(other, tested.file);
    await expectRefused(tested.store);
    expect((await stat(tested.file)).mtimeMs).toBe(untouched.mtimeMs);
  });

  test("is used again when it was only moved away for a while", async ({ tested }) => {
    await rename(tested.file, `${tested.file}.away`);
    await expectRefused(tested.store);
    await rename(`${tested.file}.away`, tested.file);
    await accept(tested.store, inquiry(1));
    expect(await allMails(tested.store)).toHaveLength(2);
  });
});

test("a page that was overwritten makes what reads it fail as unavailable", async ({ tested }) => {
  await Promise.all(Array.from({ length: 200 }, (_, number) => accept(tested.store, inquiry(number))));
  await tested.store[Symbol.asyncDispose]();
  const page = 4096;
  await using handle = await open(tested.file, "r+");
  const { size } = await handle.stat();
  // The first page holds what the database needs to be opened.
  for (let at = page; at < size; at += page) await handle.write(Buffer.alloc(page, 0xaa), 0, page, at);
  const used = tested.openAgain().then((store) => Promise.all([inquiries(store), accept(store, inquiry(1))]));
  await expect(used).rejects.toBeInstanceOf(StorageUnavailable);
});

// What is erased leaves no word in the database file, neither in the rows nor in the search.
const actor = { operator: "eva@example.org", at: noon };

const letters = {
  "a short letter": "I am a wombatologist.",
  // So many words that the index is merged to be rid of them.
  "a long letter": `I am a wombatologist. ${Array.from({ length: 3_000 }, (_, at) => `wombat${at}`).join(" ")}`,
};

test.for(Object.entries(letters))(
  "no word of an erased person with %s is left in the file, not even in the search",
  async ([, coverLetter], { store, tested }) => {
    const { file } = tested;
    for (let number = 0; number < 60; number += 1) await acceptReference(store, inquiry(number));
    const email = "Zyxwvut@quokkamail.example";
    const person = application(100, { email, name: "Zyxwvut Quokka 袋熊", coverLetter });
    const reference = await acceptReference(store, person);
    while ((await store.desk.indexNext(7, () => false)).more);
    await store.desk.addNote(wholeScope, reference, "Asked the wombatologist for a sample.", actor);
    expect((await store.desk.listSubmissions(wholeScope, { letter: "wombatologist" }, {})).rows).toHaveLength(1);
    const words = /zyxwvut|quokka|wombat|袋/i;
    const bytes = async () => {
      tested.raw((database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
      return (await readFile(file)).toString();
    };
    expect(await bytes()).toMatch(words);
    while ((await store.desk.erasePerson(email, actor)).more);
    expect(words.exec(await bytes())?.[0]).toBeUndefined();
    // With 1, FTS5 compares with the content as well.
    tested.raw((database) => {
      for (const table of ["search_who", "search_letter"])
        database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`);
    });
    // What is left of the letters is found as before.
    const { rows } = await store.desk.listSubmissions(wholeScope, { letter: inquiry(7).email }, {});
    expect(rows.map((row) => row.email)).toEqual([inquiry(7).email]);
  },
);

test("the search stays whole while notes are written and persons erased, one after the other", async ({
  store,
  tested,
}) => {
  const references: string[] = [];
  for (let number = 0; number < 150; number += 1) references.push(await acceptReference(store, inquiry(number)));
  const index = async () => {
    while ((await store.desk.indexNext(50, () => false)).more);
  };
  await index();
  for (let number = 0; number < 30; number += 1) {
    await store.desk.addNote(wholeScope, references[number * 3]!, `We called them about item${number}.`, actor);
  }
  await index();
  for (let number = 0; number < 60; number += 1) {
    const gone = (number * 7) % 150;
    while ((await store.desk.erasePerson(inquiry(gone).email, actor)).more);
    await store.desk.addNote(wholeScope, references[(gone + 1) % 150]!, "Again.", actor);
    await index();
    expect(await tested.query("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  }
});

test("a merge of the search that was interrupted goes on when submissions are made searchable", async ({
  store,
  tested,
}) => {
  await acceptReference(store, application(1, { coverLetter: letters["a long letter"] }));
  for (let number = 2; number < 400; number += 1) await acceptReference(store, inquiry(number));
  while ((await store.desk.indexNext(50, () => false)).more);
  await store.desk.erasePerson(application(1).email, actor);
  const removed = async () => (await tested.query("SELECT removed FROM search_progress"))[0];
  expect(await removed()).not.toEqual({ removed: 0 });
  while ((await store.desk.indexNext(50, () => false)).more);
  expect(await removed()).toEqual({ removed: 0 });
  tested.raw((database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  expect((await readFile(tested.file)).toString()).not.toMatch(/wombat/);
});
