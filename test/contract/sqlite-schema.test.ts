// How the SQLite engine comes to its schema, what it refuses, and what it forgets on purpose.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { welcomeIntervalMs } from "../../server/src/storage/limits.ts";
import { migrate, openStore, pendingMigrations } from "../../server/src/storage/open-store.ts";
import { type PendingMigration, SchemaTooNew, SchemaTooOld } from "../../server/src/storage/schema-version.ts";
import { StorageUnavailable } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import { startChild } from "./children/child.ts";
import { accept, inquiries, inquiry, noon, offer, settle, subscription } from "./records.ts";
import { sqliteTest as test, useRaw } from "./sqlite-under-test.ts";

const locate = (folder: string) => ({ kind: "sqlite", file: join(folder, "store.db") }) as const;

const namesOf = (pending: readonly PendingMigration[]) => pending.map(({ name }) => name);

describe("migrations", () => {
  test("are found pending without a database, which is not made by looking", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    expect(namesOf(await pendingMigrations(location))).toContain("0001-schema");
    await expect(openStore(location, { access: "read-only" })).rejects.toBeInstanceOf(StorageUnavailable);
    expect(existsSync(location.file)).toBe(false);
  });

  test("are found pending in an empty database, which is not changed by looking or by a reader; are applied once", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    useRaw(location.file, (database) => database.exec("PRAGMA user_version = 1"));
    const before = await readFile(location.file);
    const pending = namesOf(await pendingMigrations(location));
    expect(pending).toContain("0001-schema");
    await expect(openStore(location, { access: "read-only" })).rejects.toBeInstanceOf(SchemaTooOld);
    expect(namesOf(await pendingMigrations(location))).toEqual(pending);
    expect(await readFile(location.file)).toEqual(before);
    expect(await migrate(location)).toEqual(pending);
    expect(await pendingMigrations(location)).toEqual([]);
    expect(await migrate(location)).toEqual([]);
  });

  test("are applied by exactly one of several processes that start at once, and all of them go on", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    const pending = namesOf(await pendingMigrations(location));
    await using children = new AsyncDisposableStack();
    const started = Array.from({ length: 3 }, () => children.use(startChild("open-store", location.file)));
    await Promise.all(started.map((child) => child.hear()));
    for (const child of started) child.tell();
    const heard = (await Promise.all(started.map((child) => child.hear()))) as {
      applied: string[];
      readiness: unknown;
    }[];
    expect(heard.flatMap((one) => one.applied).toSorted()).toEqual(pending);
    for (const one of heard) expect(one.readiness).toEqual({ ready: true });
  });
});

test("a schema that is newer than this version is refused, and left alone", async () => {
  await using folder = await openFolder();
  const location = locate(folder.path);
  await migrate(location);
  useRaw(location.file, (database) => database.exec("INSERT INTO schema_migration VALUES (9999, '9999-future', 0)"));
  await expect(openStore(location)).rejects.toBeInstanceOf(SchemaTooNew);
  await expect(openStore(location, { access: "read-only" })).rejects.toBeInstanceOf(SchemaTooNew);
  await expect(migrate(location)).rejects.toBeInstanceOf(SchemaTooNew);
  await expect(pendingMigrations(location)).rejects.toThrow("has schema 9999");
});

test("a store opened for reading exports, whether a service runs or not, and stores nothing", async ({ tested }) => {
  await accept(tested.store, inquiry(1));
  const open = () => openStore({ kind: "sqlite", file: tested.file }, { access: "read-only" });
  await using reader = await open();
  expect(await inquiries(reader)).toHaveLength(1);
  await expect(offer(reader, inquiry(2))).rejects.toBeInstanceOf(StorageUnavailable);
  await accept(tested.store, inquiry(3));
  expect(await inquiries(reader)).toHaveLength(2);
  await reader[Symbol.asyncDispose]();
  await tested.store[Symbol.asyncDispose]();
  await using alone = await open();
  expect(await inquiries(alone)).toHaveLength(2);
});

describe("what is kept", () => {
  test("of a welcome mail that was sent are no links, not even in the bytes of the file", async ({ tested }) => {
    const given = subscription();
    const { mails } = await accept(tested.store, given);
    const bytes = () => readFile(tested.file);
    await settle(tested.store, { sent: mails });
    const kept = tested.raw((database) => database.prepare("SELECT tokens FROM mail").get());
    expect(kept).toEqual({ tokens: null });
    await tested.store[Symbol.asyncDispose]();
    expect((await bytes()).includes(given.email)).toBe(true);
    for (const { token } of [given.confirm, given.unsubscribe]) expect((await bytes()).includes(token)).toBe(false);
  });

  test("of links are hashes: unsubscribing for good, confirming until it expires", async ({ tested }) => {
    const first = subscription();
    const { expiresAt } = first.confirm;
    const confirm = (more: number) => ({ ...subscription().confirm, expiresAt: expiresAt + more });
    const second = subscription({ receivedAt: noon + welcomeIntervalMs, confirm: confirm(1) });
    const third = subscription({ receivedAt: expiresAt, confirm: confirm(2) });
    const unmailed = subscription({ receivedAt: third.receivedAt + 1 });
    for (const one of [first, second, third, unmailed]) await accept(tested.store, one);
    const stored = tested.raw((database) => database.prepare("SELECT token_hash, purpose FROM newsletter_token").all());
    const hashes = (purpose: string) =>
      new Set(stored.filter((row) => row["purpose"] === purpose).map((row) => row["token_hash"]));
    expect(hashes("unsubscribe")).toEqual(new Set([first, second, third].map((one) => one.unsubscribe.hash)));
    expect(hashes("confirm")).toEqual(new Set([second.confirm.hash, third.confirm.hash]));
  });
});
