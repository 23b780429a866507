// What of an SQLite database is on the disk when a caller is answered. `children/losing-disk.c` stands for the disk.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listMails } from "../../server/src/desk/mails.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { openFolder } from "../support/folder.ts";
import { startChild } from "./children/child.ts";
import { accept, acceptReference, inquiries, inquiry, noon } from "./records.ts";
import { sqliteTest, useRaw } from "./sqlite-under-test.ts";

const referencesIn = (file: string): readonly string[] =>
  useRaw(file, (database) =>
    database
      .prepare("SELECT reference FROM submission ORDER BY arrival")
      .all()
      .map((row) => String(row["reference"])),
  );

const integrityOf = (file: string) =>
  useRaw(file, (database) => database.prepare("PRAGMA integrity_check").get()?.["integrity_check"]);

/** Copies a database, with the log that is named or with none. */
function copyOf(file: string, folder: string, log?: string): string {
  const copy = join(folder, "submissions.db");
  mkdirSync(folder);
  cpSync(file, copy);
  if (log !== undefined) cpSync(log, `${copy}-wal`);
  return copy;
}

describe.runIf(platform() === "linux" && hasCompiler())("on a disk that fails to sync", () => {
  const library = { folder: undefined as Awaited<ReturnType<typeof openFolder>> | undefined, path: "" };
  beforeAll(async () => {
    library.folder = await openFolder();
    library.path = join(library.folder.path, "losing-disk.so");
    const source = fileURLToPath(new URL("children/losing-disk.c", import.meta.url));
    execFileSync("cc", ["-shared", "-fPIC", "-o", library.path, source, "-ldl"]);
  });
  afterAll(() => library.folder?.[Symbol.asyncDispose]());

  async function openProcess() {
    await using opened = new AsyncDisposableStack();
    const folder = opened.use(await openFolder()).path;
    const file = join(folder, "submissions.db");
    const child = opened.use(startChild("failing-syncs", file, { LD_PRELOAD: library.path }));
    const acknowledged = (await child.hear()) as readonly string[];
    const open = opened.move();
    return { folder, file, child, acknowledged, [Symbol.asyncDispose]: () => open.disposeAsync() };
  }

  test("what is acknowledged is on the disk", async () => {
    await using accepting = await openProcess();
    const { file, folder, acknowledged } = accepting;
    const copy = copyOf(file, join(folder, "power-cut"), `${file}-wal.disk`);
    expect(acknowledged).toHaveLength(96);
    expect(referencesIn(copy)).toEqual(acknowledged);
  });

  // One that reads nothing now, and one in the middle of reading.
  test.for(["", "BEGIN"])(
    "a sync that fails leaves the outcome open and damages nothing, with another process on the database %s",
    async (reading) => {
      await using accepting = await openProcess();
      const { file, folder, child, acknowledged } = accepting;
      writeFileSync(`${file}-wal.loses`, "");
      const other = new DatabaseSync(file);
      try {
        other.exec(reading);
        expect(other.prepare("SELECT count(*) AS count FROM submission").get()).toEqual({ count: 96 });
        child.tell();
        expect(await child.hear()).toBe("unknown");
        child.tell();
        const next = String(await child.hear());
        const expected = [...acknowledged, next];
        const copy = copyOf(file, join(folder, "power-cut"), `${file}-wal.disk`);
        expect(referencesIn(copy)).toEqual(expected);
        child.tell();
        expect(await child.ended()).toEqual([0, null]);
        expect([referencesIn(file), integrityOf(file)]).toEqual([expected, "ok"]);
      } finally {
        other.close();
      }
      await using store = await openStore({ kind: "sqlite", file });
      expect(await inquiries(store)).toHaveLength(97);
      expect(integrityOf(file)).toBe("ok");
    },
  );

  test("what was committed when its sync failed and the process was killed is on the disk before it is read", async () => {
    await using accepting = await openProcess();
    const { file, folder, child } = accepting;
    child.tell();
    expect(await child.hear()).toBe("unknown");
    await child[Symbol.asyncDispose]();
    await using store = await openStore({ kind: "sqlite", file });
    // The kernel has it in its memory and will not write it. So nothing may follow it in the log either.
    expect(await inquiries(store)).toHaveLength(97);
    expect(statSync(`${file}-wal`).size).toBe(0);
    expect(referencesIn(copyOf(file, join(folder, "power-cut")))).toHaveLength(97);
  });
});

test("a process that is killed loses nothing that it acknowledged, leaves no submission without its mails, and a repeated key is answered with what is on the disk", async () => {
  await using folder = await openFolder();
  const file = join(folder.path, "submissions.db");
  await using child = startChild("accept-until-killed", file);
  const acknowledged: unknown[] = [];
  child.process.on("message", (reference) => acknowledged.push(reference));
  while (acknowledged.length < 300) await child.hear();
  await child[Symbol.asyncDispose]();
  await using store = await openStore({ kind: "sqlite", file });
  const found = await store.findEarlier({
    procedure: "marketplace.inquiry",
    keyHash: "key-1",
    fingerprint: "f",
    createdAt: noon,
  });
  expect(found).toMatchObject({ fingerprint: "f" });
  const onDisk = referencesIn(copyOf(file, join(folder.path, "power-cut")));
  expect(onDisk).toEqual(expect.arrayContaining([found?.reference, ...acknowledged]));
  const mails = await listMails(store.desk, { limit: 1_000_000 });
  expect(mails.map(({ reference }) => String(reference)).toSorted()).toEqual([...onDisk, ...onDisk].toSorted());
});

sqliteTest("a process that reads from the log for long holds up no start", async ({ tested }) => {
  const { file, store } = tested;
  await accept(store, inquiry(1));
  const reader = new DatabaseSync(file);
  try {
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM submission").get();
    await acceptReference(store, inquiry(2));
    await using again = await openStore({ kind: "sqlite", file });
    expect(await accept(again, inquiry(3))).toMatchObject({ result: "accepted" });
    expect(await inquiries(again)).toHaveLength(3);
  } finally {
    reader.close();
  }
});

function hasCompiler(): boolean {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
