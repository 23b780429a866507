// Moving a store into an empty one: everything, exactly, or nothing.
import { existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { movedTables, MoveRefused, moveStore } from "../../server/src/storage/move.ts";
import { lockStore, openStore } from "../../server/src/storage/open-store.ts";
import { SchemaTooOld } from "../../server/src/storage/schema-version.ts";
import { StorageUnavailable } from "../../server/src/storage/store.ts";
import { everythingOf, fill } from "./full-store.ts";
import {
  accept,
  afterLease,
  findSubmission,
  idsOf,
  inquiries,
  inquiry,
  otherLease,
  subscribers,
  subscription,
} from "./records.ts";
import { openSqliteUnderTest, type SqliteUnderTest, useRaw } from "./sqlite-under-test.ts";

const locate = (tested: SqliteUnderTest, name = "moved.db") => ({
  from: { kind: "sqlite", file: tested.file } as const,
  to: { kind: "sqlite", file: join(tested.folder, name) } as const,
});

test("moves everything, tells how much of each table, and goes on where the source stopped", async () => {
  await using tested = await openSqliteUnderTest();
  const { held, erased } = await fill(tested);
  const { from, to } = locate(tested);
  const progress: (string | number)[] = [];
  const tables = await moveStore(from, to, (table, rows) => progress.push(table, rows));

  const rowsOf = (name: string) => tables.find((table) => table.name === name)?.rows;
  expect(tables.map(({ name }) => name)).toEqual(movedTables.map(({ name }) => name));
  expect([rowsOf("submission"), rowsOf("subscriber"), rowsOf("idempotency")]).toEqual([704, 1, 2]);
  for (const { sha256 } of tables) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(progress.join(" ")).toContain("submission 500 submission 704");

  await using target = await openStore(to);
  expect(await everythingOf(target)).toEqual(held);
  expect((await findSubmission(target, held.inquiries[0]?.reference ?? ""))?.arrival).toBe(1);
  const next = await accept(target, inquiry(2_000));
  expect(next.reference).not.toBe(erased);
  const last = Math.max(...[...held.inquiries, ...held.applications].map(({ arrival }) => arrival));
  expect((await findSubmission(target, next.reference ?? ""))?.arrival).toBe(last + 2);
  await accept(target, subscription({ email: "next@example.org" }));
  expect((await subscribers(target)).map(({ arrival }) => arrival)).toEqual([1, 3]);
  const claimed = await target.claimDueMails(afterLease, 10_000, otherLease);
  expect(new Set(idsOf(claimed)).size).toBe(held.mails.length - 1 + 3);
});

test("digests alike what is alike, and leaves the source as it was", async () => {
  await using tested = await openSqliteUnderTest();
  const { held } = await fill(tested);
  const [first, second] = [locate(tested, "one.db"), locate(tested, "two.db")];
  const moved = await moveStore(first.from, first.to);
  expect(await moveStore(first.to, second.to)).toEqual(moved);
  expect(await everythingOf(await tested.openAgain())).toEqual(held);
});

test("names every table of the schema", async () => {
  await using tested = await openSqliteUnderTest();
  const text = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  const names = tested.raw((database) => database.prepare(text).all()).map((row) => row["name"]);
  expect(new Set(movedTables.map(({ name }) => name))).toEqual(
    new Set(names.filter((name) => name !== "schema_migration" && !String(name).startsWith("search_"))),
  );
});

test("is refused by a target that holds something, which stays as it was", async () => {
  await using tested = await openSqliteUnderTest();
  await fill(tested);
  await using other = await openSqliteUnderTest();
  await accept(other.store, subscription());
  const before = await everythingOf(other.store);
  await other.store[Symbol.asyncDispose]();
  const moving = moveStore(locate(tested).from, { kind: "sqlite", file: other.file });
  await expect(moving).rejects.toBeInstanceOf(MoveRefused);
  await expect(moving).rejects.toThrow("subscriber");
  expect(await everythingOf(await other.openAgain())).toEqual(before);
});

test.each(["from", "to"] as const)("is refused while a service runs on a store: %s", async (which) => {
  await using tested = await openSqliteUnderTest();
  await fill(tested);
  const places = locate(tested);
  using _running = await lockStore(places[which]);
  await expect(moveStore(places.from, places.to)).rejects.toThrow(/^Another service is running/);
});

test("is refused without a source, and makes none", async () => {
  await using tested = await openSqliteUnderTest();
  const { from, to } = locate(tested);
  await expect(moveStore(to, from)).rejects.toBeInstanceOf(StorageUnavailable);
  expect(existsSync(to.file)).toBe(false);
});

test("is refused by a source that lacks migrations", async () => {
  await using tested = await openSqliteUnderTest();
  const { to } = locate(tested);
  const file = join(tested.folder, "old.db");
  useRaw(file, (database) => database.exec("PRAGMA user_version = 1"));
  await expect(moveStore({ kind: "sqlite", file }, to)).rejects.toBeInstanceOf(SchemaTooOld);
});

test("is refused by a source that is corrupt", async () => {
  await using tested = await openSqliteUnderTest();
  await fill(tested);
  const { from, to } = locate(tested);
  const { size } = await stat(from.file);
  // The first pages hold the schema.
  await using file = await open(from.file, "r+");
  await file.write(Buffer.alloc(size / 2), 0, size / 2, size / 2);
  await expect(moveStore(from, to)).rejects.toBeInstanceOf(StorageUnavailable);
});

test("leaves the target empty when it fails halfway", async () => {
  await using tested = await openSqliteUnderTest();
  await fill(tested);
  const { from, to } = locate(tested);
  const moving = moveStore(from, to, (table) => {
    if (table === "mail") throw new Error("told to fail");
  });
  await expect(moving).rejects.toThrow("told to fail");
  await using target = await openStore(to);
  expect(await inquiries(target)).toEqual([]);
  expect(await accept(target, inquiry(1))).toMatchObject({ result: "accepted" });
});
