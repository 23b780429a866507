// How the SQLite engine comes to its schema, what it refuses, and what it forgets on purpose.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate, openStore, pendingMigrations } from "../../server/src/storage/open-store.ts";
import { SchemaTooNew, SchemaTooOld } from "../../server/src/storage/schema-version.ts";
import { StorageUnavailable, welcomeIntervalMs } from "../../server/src/storage/store.ts";
import { startChild } from "./children/child.ts";
import { collect, inquiry, lease, mail, noon, subscription, welcome } from "./records.ts";
import { openFolder, openSqliteUnderTest, useRaw } from "./sqlite-under-test.ts";

const locate = (folder: string) => ({ kind: "sqlite", file: join(folder, "store.db") }) as const;

describe("migrations", () => {
  test("are found pending without a database, which is not made by looking", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    expect(await pendingMigrations(location)).toContain("0001-submissions");
    expect(existsSync(location.file)).toBe(false);
  });

  test("are found pending in an empty database, which is not changed by looking", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    useRaw(location.file, (database) => database.exec("PRAGMA user_version = 1"));
    const before = await readFile(location.file);
    expect(await pendingMigrations(location)).toContain("0001-submissions");
    expect(await readFile(location.file)).toEqual(before);
  });

  test("are applied once, and then none is pending", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    const pending = await pendingMigrations(location);
    expect(await migrate(location)).toEqual(pending);
    expect(await pendingMigrations(location)).toEqual([]);
    expect(await migrate(location)).toEqual([]);
  });

  test("are applied by exactly one of several processes that start at once, and all of them go on", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    const pending = await pendingMigrations(location);
    await using children = new AsyncDisposableStack();
    const started = Array.from({ length: 6 }, () => children.use(startChild("open-store", location.file)));
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

describe("a schema that does not fit", () => {
  test("is refused when it is newer than this version, and left alone", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    await migrate(location);
    useRaw(location.file, (database) => database.exec("INSERT INTO schema_migration VALUES (9999, '9999-future', 0)"));
    await expect(openStore(location)).rejects.toBeInstanceOf(SchemaTooNew);
    await expect(openStore(location, { access: "read-only" })).rejects.toBeInstanceOf(SchemaTooNew);
    await expect(migrate(location)).rejects.toBeInstanceOf(SchemaTooNew);
    await expect(pendingMigrations(location)).rejects.toMatchObject({ found: 9999 });
  });

  test("is refused for reading when it lacks migrations, and not migrated by a reader", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    useRaw(location.file, (database) => database.exec("PRAGMA user_version = 1"));
    const opened = openStore(location, { access: "read-only" });
    await expect(opened).rejects.toBeInstanceOf(SchemaTooOld);
    expect(await pendingMigrations(location)).not.toEqual([]);
  });
});

describe("a store opened for reading", () => {
  test("exports while the service runs, and stores nothing", async () => {
    await using tested = await openSqliteUnderTest();
    await tested.store.acceptInquiry(inquiry(1), [mail()], lease);
    const location = { kind: "sqlite", file: tested.file } as const;
    await using reader = await openStore(location, { access: "read-only" });
    expect(await collect(reader.exportInquiries(0))).toHaveLength(1);
    const refused = reader.acceptInquiry(inquiry(2), [], lease);
    await expect(refused).rejects.toBeInstanceOf(StorageUnavailable);
    await tested.store.acceptInquiry(inquiry(3), [], lease);
    expect(await collect(reader.exportInquiries(0))).toHaveLength(2);
  });

  test("exports while no service runs", async () => {
    await using tested = await openSqliteUnderTest();
    await tested.store.acceptInquiry(inquiry(1), [mail()], lease);
    await tested.store[Symbol.asyncDispose]();
    const location = { kind: "sqlite", file: tested.file } as const;
    await using reader = await openStore(location, { access: "read-only" });
    expect(await collect(reader.exportInquiries(0))).toHaveLength(1);
  });

  test("is refused where there is none, and none is made", async () => {
    await using folder = await openFolder();
    const location = locate(folder.path);
    const opened = openStore(location, { access: "read-only" });
    await expect(opened).rejects.toBeInstanceOf(StorageUnavailable);
    expect(existsSync(location.file)).toBe(false);
  });
});

describe("what is kept", () => {
  test("of a sent mail is neither text nor links", async () => {
    await using tested = await openSqliteUnderTest();
    const secret = "https://example.org/newsletter/confirm?token=";
    const content = { ...mail().content, text: secret, html: secret, headers: { "List-Unsubscribe": secret } };
    const sent = mail({ content });
    await tested.store.acceptInquiry(inquiry(1), [sent], lease);
    const settlement = { id: sent.id, result: "sent", at: noon, providerId: "pm-1" } as const;
    await tested.store.settleMails([settlement], lease.owner);
    const columns = "reply_to, text, html, headers";
    const kept = tested.raw((database) => database.prepare(`SELECT ${columns} FROM mail`).get());
    expect(kept).toEqual({ reply_to: null, text: null, html: null, headers: null });
    await tested.store[Symbol.asyncDispose]();
    expect((await readFile(tested.file)).includes(secret)).toBe(false);
  });

  test("of newsletter links are hashes: unsubscribing for good, confirming until it expires", async () => {
    await using tested = await openSqliteUnderTest();
    const first = subscription();
    const second = subscription({
      receivedAt: noon + welcomeIntervalMs,
      confirmExpiresAt: first.confirmExpiresAt + 1,
    });
    const third = subscription({
      receivedAt: first.confirmExpiresAt,
      confirmExpiresAt: first.confirmExpiresAt + 2,
    });
    const unmailed = subscription({ receivedAt: third.receivedAt + 1 });
    for (const one of [first, second, third, unmailed]) {
      await tested.store.acceptSubscription(one, welcome(), lease);
    }
    const stored = tested.raw((database) => database.prepare("SELECT token_hash, purpose FROM newsletter_token").all());
    const hashes = (purpose: string) =>
      new Set(stored.filter((row) => row["purpose"] === purpose).map((row) => row["token_hash"]));
    const mailed = [first, second, third];
    expect(hashes("unsubscribe")).toEqual(new Set(mailed.map((one) => one.unsubscribeTokenHash)));
    expect(hashes("confirm")).toEqual(new Set([second.confirmTokenHash, third.confirmTokenHash]));
  });
});
