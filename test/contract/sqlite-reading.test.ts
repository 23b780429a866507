// What operators read on SQLite: on a thread that begins with the first need, and ends what takes too long.
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { wholeScope } from "../../server/src/storage/desk-store.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { makeReadingThread } from "../../server/src/storage/sqlite/reading-thread.ts";
import { openFolder } from "../support/folder.ts";
import { accept, inquiry, noon } from "./records.ts";
import { openSqliteUnderTest } from "./sqlite-under-test.ts";

function watchThreads(): Worker[] {
  const begun: Worker[] = [];
  const note = (thread: Worker) => begun.push(thread);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  return begun;
}

test("lists and exports have a thread, which begins with the first of them and ends with the store", async () => {
  await using tested = await openSqliteUnderTest();
  const { store } = tested;
  const threads = watchThreads();
  await accept(store, inquiry(1));
  await store.desk.indexNext(10, () => false);
  await store.desk.countSubscribers(noon);
  await store.mailBacklog();
  expect(threads).toHaveLength(0);
  for (let times = 0; times < 2; times += 1) {
    await store.desk.countByStatus(wholeScope, "");
    await store.desk.listAudit({});
  }
  for (let times = 0; times < 2; times += 1) await Array.fromAsync(store.readAll("inquiry", {}));
  expect(threads).toHaveLength(1);
  const ended = Promise.all(threads.map((thread) => once(thread, "exit")));
  await store[Symbol.asyncDispose]();
  await ended;
  await expect(store.desk.countByStatus(wholeScope, "")).rejects.toMatchObject({ name: "StorageUnavailable" });
});

test("a store that is opened to read begins no threads", async () => {
  await using tested = await openSqliteUnderTest();
  await accept(tested.store, inquiry(1));
  const threads = watchThreads();
  await using store = await openStore({ kind: "sqlite", file: tested.file }, { access: "read-only" });
  expect(await store.desk.since(wholeScope, 0)).toMatchObject({ latest: 1, added: 1 });
  expect((await Array.fromAsync(store.readAll("inquiry", {}))).flat()).toHaveLength(1);
  expect(threads).toHaveLength(0);
});

test("a statement that takes too long is ended, and the next one is answered", async () => {
  await using folder = await openFolder();
  const file = `${folder.path}/locked.db`;
  // Without a write-ahead log, which lets readers pass.
  using writer = new DatabaseSync(file);
  writer.exec("CREATE TABLE thing (name TEXT)");
  await using thread = makeReadingThread({ file, assertSameFile: () => {} }, 2_000);
  const quick = () => thread.all({ sourceSQL: "SELECT 1 AS one" }, []);
  expect(await quick()).toEqual([{ one: 1 }]);
  writer.exec("BEGIN EXCLUSIVE");
  const [slow, next] = [thread.all({ sourceSQL: "SELECT name FROM thing" }, []), quick()];
  await expect(slow).rejects.toMatchObject({ name: "ReadTooSlow" });
  writer.exec("ROLLBACK");
  expect(await next).toEqual([{ one: 1 }]);
  await expect(thread.all({ sourceSQL: "SELECT wrong" }, [])).rejects.toThrow("no such column");
  expect(await quick()).toEqual([{ one: 1 }]);
});

test("a statement that has waited too long for the one before is given up, and does not run", async () => {
  await using folder = await openFolder();
  const file = `${folder.path}/locked.db`;
  using writer = new DatabaseSync(file);
  writer.exec("CREATE TABLE thing (name TEXT)");
  await using thread = makeReadingThread({ file, assertSameFile: () => {} }, 60_000, 50);
  await thread.all({ sourceSQL: "SELECT 1 AS one" }, []);
  writer.exec("BEGIN EXCLUSIVE");
  const running = thread.all({ sourceSQL: "SELECT name FROM thing" }, []);
  await expect(thread.all({ sourceSQL: "SELECT wrong" }, [])).rejects.toMatchObject({ name: "ReadTooSlow" });
  writer.exec("ROLLBACK");
  expect(await running).toEqual([]);
  expect(await thread.all({ sourceSQL: "SELECT 2 AS two" }, [])).toEqual([{ two: 2 }]);
});

test("a thread that ends by itself ends no process, and the next statement has another one", async () => {
  await using folder = await openFolder();
  const threads = watchThreads();
  await using thread = makeReadingThread({ file: `${folder.path}/new.db`, assertSameFile: () => {} }, 60_000);
  using _ = new DatabaseSync(`${folder.path}/new.db`);
  const quick = () => thread.all({ sourceSQL: "SELECT 1 AS one" }, []);
  await quick();
  threads[0]!.emit("error", new Error("out of memory"));
  await threads[0]!.terminate();
  expect(await quick()).toEqual([{ one: 1 }]);
  expect(threads).toHaveLength(2);
});
