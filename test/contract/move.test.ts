// Copying a store that is in use into an empty one, on either engine or from one to the other: everything, exactly, or nothing.
import { existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { webhookEvents } from "../../shared/src/console.ts";
import { type MovedRows, movedTables, moveRows } from "../../server/src/storage/move.ts";
import {
  lockStore,
  migrate,
  openEmpty,
  openMovable,
  openStore,
  type StoreLocation,
} from "../../server/src/storage/open-store.ts";
import { SchemaTooOld } from "../../server/src/storage/schema-version.ts";
import { StorageUnavailable, type Store } from "../../server/src/storage/store.ts";
import { someOf } from "../support/many-or-few.ts";
import { createDatabase } from "../support/service-database.ts";
import { locate, openPostgresUnderTest } from "./postgres-under-test.ts";
import {
  accept,
  acceptReference,
  afterLease,
  allMails,
  application,
  applications,
  digest,
  findSubmission,
  inquiries,
  inquiry,
  minute,
  noon,
  otherLease,
  settle,
  subscribers,
  subscription,
} from "./records.ts";
import type { StoreUnderTest } from "./store-under-test.ts";
import { openSqliteUnderTest, sqliteTest, type SqliteUnderTest, useRaw } from "./sqlite-under-test.ts";

const key = (number: number) => ({
  procedure: "marketplace.inquiry",
  keyHash: `${number}`.repeat(64),
  fingerprint: "f",
  createdAt: noon,
});

async function fill({ store, deleteSubmission, deleteSubscriber }: StoreUnderTest) {
  const challenge = { hash: "c".repeat(64), expiresAt: noon + minute };
  const first = await accept(store, inquiry(1, { name: "Zoë “Q” O'Neil \\ 🎙️" }), { key: key(1), challenge });
  await Promise.all(Array.from({ length: 510 }, (_, n) => accept(store, inquiry(10 + n))));
  await accept(store, application(2, { coverLetter: "line\n\tnext" }));
  await accept(store, application(3, { resume: null }), { spam: true });
  const webhook = { url: "https://receiver.example.org", events: webhookEvents, secret: "whsec_1" };
  await store.webhooks.add(webhook, { operator: "command line", at: noon });
  await accept(store, application(4, { resume: null }));
  await store.storeDigest(digest, noon);
  await accept(store, subscription(), { key: key(2) });
  await accept(store, subscription({ email: "erased@example.org" }));
  await store.suppress({ email: "no@example.org", reason: "bounced", at: noon });
  await settle(store, { sent: first.mails.slice(0, 1) });
  // The newest of each are erased: their numbers must not come back.
  const erased = await acceptReference(store, inquiry(9));
  await deleteSubmission(erased);
  await deleteSubscriber("erased@example.org");
  const held = await everythingOf(store);
  await store[Symbol.asyncDispose]();
  return { held, erased };
}

const everythingOf = async (store: Store) => ({
  identity: store.identity,
  inquiries: await inquiries(store),
  applications: await applications(store),
  subscribers: await subscribers(store),
  mails: await allMails(store),
  webhooks: await store.webhooks.list(),
  deliveries: (await store.webhooks.listDeliveries(null, {})).rows,
  earlier: [await store.findEarlier(key(1)), await store.findEarlier(key(2))],
});

const engines = {
  SQLite: async () => {
    const tested = await openSqliteUnderTest();
    return Object.assign(tested, { at: { kind: "sqlite", file: tested.file } as const });
  },
  PostgreSQL: async () => {
    const tested = await openPostgresUnderTest();
    return Object.assign(tested, { at: locate(tested.database.url) });
  },
};

const both = ["SQLite", "PostgreSQL"] as const;

const locationOf = (place: { readonly url: string } | SqliteUnderTest): StoreLocation =>
  "url" in place ? locate(place.url) : { kind: "sqlite", file: join(place.folder, "moved.db") };

async function moveStore(
  from: StoreLocation,
  to: StoreLocation,
  onProgress?: (table: string, rows: number) => void,
): Promise<readonly MovedRows[]> {
  await using source = await openMovable(from, "source");
  await using target = await openEmpty(to);
  const rows = await moveRows(source, target, onProgress);
  await target.commit();
  return rows;
}

test.each(someOf(both))(
  "moves everything from %s to either engine, which go on where the source stopped",
  async (name) => {
    await using source = await engines[name]();
    const { held, erased } = await fill(source);
    const places = [await openSqliteUnderTest(), await createDatabase("empty")];
    await using opened = new AsyncDisposableStack();
    for (const place of places) opened.use(place);
    const targets = places.map(locationOf);
    const moved: (readonly MovedRows[])[] = [];
    for (const to of targets) {
      // A service was only started there.
      const started = await openStore(to);
      await started.desk.countSubscribers(noon);
      await started[Symbol.asyncDispose]();
      const progress: (string | number)[] = [];
      moved.push(await moveStore(source.at, to, (table, rows) => progress.push(table, rows)));
      expect(progress.join(" ")).toContain("submission 500 submission 514");
    }
    const [tables = []] = moved;
    expect(tables.map(({ name: table }) => table)).toEqual(movedTables.map((table) => table.name));
    const rowsOf = (one: string) => tables.find((table) => table.name === one)?.rows;
    expect([rowsOf("store"), rowsOf("submission"), rowsOf("subscriber"), rowsOf("idempotency")]).toEqual([
      1, 514, 1, 2,
    ]);
    // Both engines digest what they hold alike.
    await using back = await openSqliteUnderTest();
    moved.push(await moveStore(targets[1]!, locationOf(back)));
    for (const other of moved) expect(other).toEqual(tables);

    for (const to of targets) {
      await using target = await openStore(to);
      expect(await everythingOf(target)).toEqual(held);
      expect(await findSubmission(target, held.inquiries[0]?.reference ?? "")).toEqual(held.inquiries[0]);
      const next = await acceptReference(target, inquiry(2_000));
      expect(next).not.toBe(erased);
      expect(held.inquiries.map(({ reference }) => reference)).not.toContain(next);
      const last = Math.max(...[...held.inquiries, ...held.applications].map(({ arrival }) => arrival));
      expect((await findSubmission(target, next))?.arrival).toBeGreaterThan(last + 1);
      await accept(target, subscription({ email: "next@example.org" }));
      expect((await subscribers(target))[1]?.arrival).toBeGreaterThan(2);
      const claimed = await target.mails.claim(afterLease, 10_000, otherLease);
      expect(new Set(claimed.map(({ id }) => id)).size).toBe(held.mails.length - 1 + 3);
    }
    await using again = await source.openAgain();
    expect(await everythingOf(again)).toEqual(held);
  },
);

test("takes as long as it takes, whatever the database's settings allow a transaction", async () => {
  await using source = await engines.SQLite();
  await accept(source.store, inquiry(1));
  await using target = await createDatabase("empty");
  const [known] = await target.query("SELECT 1 FROM pg_settings WHERE name = 'transaction_timeout'");
  // Before version 17 there is nothing to lift.
  if (known !== undefined) await target.set("SET transaction_timeout = '1h'");
  const refuse = "IF current_setting('transaction_timeout', true) <> '0' THEN RAISE 'limited'; END IF;";
  await target.query(`
    CREATE FUNCTION refuse_change() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN ${refuse} END $$;
    CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${refuse} RETURN NEW; END $$;
    CREATE EVENT TRIGGER refuse_change ON ddl_command_end EXECUTE FUNCTION refuse_change()`);
  await migrate(locate(target.url));
  await target.query(`
    DROP EVENT TRIGGER refuse_change;
    CREATE TRIGGER refuse_row BEFORE INSERT ON submission FOR EACH ROW EXECUTE FUNCTION refuse_row()`);
  await moveStore(source.at, locate(target.url));
  expect(await target.query("SELECT 1 FROM submission")).toHaveLength(1);
});

test.each([
  ["SQLite", "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"],
  ["PostgreSQL", "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"],
] as const)("names every table of the schema, in %s", async (name, text) => {
  await using tested = await engines[name]();
  const names = (await tested.query(text)).map((row) => (row as { name: string }).name);
  // The words of the search are made anew from submissions.
  const own = /^(?:schema_migration|call_count|search_.*|submission_search)$/;
  expect(new Set(names.filter((one) => !own.test(one)))).toEqual(new Set(movedTables.map((table) => table.name)));
});

test.each(both)("is refused by a target in %s that holds something, which stays as it was", async (name) => {
  await using source = await engines[name]();
  await source.store[Symbol.asyncDispose]();
  await using target = await engines[name]();
  await accept(target.store, subscription());
  const before = await everythingOf(target.store);
  await target.store[Symbol.asyncDispose]();
  const moving = moveStore(source.at, target.at);
  await expect(moving).rejects.toThrow("The store is not empty: its table subscriber has rows.");
  await using again = await target.openAgain();
  expect(await everythingOf(again)).toEqual(before);
});

test("is refused while a service holds the target, which no other one can have until a move has ended", async () => {
  await using source = await engines.PostgreSQL();
  await using target = await createDatabase();
  const to = locate(target.url);
  const services = [await lockStore(to), await lockStore(to)];
  for (const service of services) {
    await expect(moveStore(source.at, to)).rejects.toThrow(/^A service or a command is connected/);
    await (service as AsyncDisposable)[Symbol.asyncDispose]();
  }
  await using moving = await openEmpty(to);
  await expect(openEmpty(to)).rejects.toThrow(/^A service or a command is connected/);
  await expect(lockStore(to)).rejects.toThrow(/^A restore is filling this database/);
  await moving[Symbol.asyncDispose]();
  await using _running = await lockStore(to);
});

test.each(both)("shows a source in %s as it was when it was opened, while others write to it", async (name) => {
  await using source = await engines[name]();
  await accept(source.store, inquiry(1));
  await using place = await createDatabase("empty");
  await using shown = await openMovable(source.at, "source");
  await accept(source.store, inquiry(2));
  await using target = await openEmpty(locate(place.url));
  const moved = await moveRows(shown, target);
  expect(moved.find((table) => table.name === "submission")?.rows).toBe(1);
  await accept(source.store, inquiry(3));
  expect(await inquiries(source.store)).toHaveLength(3);
});

test("is refused by a source that lacks migrations", async () => {
  await using old = await createDatabase("empty");
  await using target = await createDatabase();
  await expect(moveStore(locate(old.url), locate(target.url))).rejects.toBeInstanceOf(SchemaTooOld);
});

test.each(both)("leaves a target in %s empty when it fails halfway", async (name) => {
  await using source = await engines.SQLite();
  await accept(source.store, inquiry(1));
  await using target = await (name === "SQLite" ? openSqliteUnderTest() : createDatabase());
  const to = locationOf(target);
  const moving = moveStore(source.at, to, (table) => {
    if (table === "mail") throw new Error("told to fail");
  });
  await expect(moving).rejects.toThrow("told to fail");
  await using store = await openStore(to);
  expect(await inquiries(store)).toEqual([]);
  expect(await accept(store, inquiry(1))).toMatchObject({ result: "accepted" });
});

describe("SQLite", () => {
  const placesOf = (tested: SqliteUnderTest) => ({
    from: { kind: "sqlite", file: tested.file } as const,
    to: { kind: "sqlite", file: join(tested.folder, "moved.db") } as const,
  });

  sqliteTest("is refused while a service runs on the target", async ({ tested }) => {
    const { from, to } = placesOf(tested);
    await using _running = await lockStore(to);
    await expect(moveStore(from, to)).rejects.toThrow(/^Another service is running/);
  });

  sqliteTest("is refused without a source, and makes none", async ({ tested }) => {
    const { from, to } = placesOf(tested);
    await expect(moveStore(to, from)).rejects.toBeInstanceOf(StorageUnavailable);
    expect(existsSync(to.file)).toBe(false);
  });

  sqliteTest("is refused by a source that lacks migrations", async ({ tested }) => {
    const { to } = placesOf(tested);
    const file = join(tested.folder, "old.db");
    useRaw(file, (database) => database.exec("PRAGMA user_version = 1"));
    await expect(moveStore({ kind: "sqlite", file }, to)).rejects.toBeInstanceOf(SchemaTooOld);
  });

  sqliteTest("is refused by a source that is corrupt", async ({ tested }) => {
    await Promise.all(Array.from({ length: 100 }, (_, number) => accept(tested.store, inquiry(number))));
    await tested.store[Symbol.asyncDispose]();
    const { from, to } = placesOf(tested);
    const { size } = await stat(from.file);
    // The first pages hold the schema.
    await using file = await open(from.file, "r+");
    await file.write(Buffer.alloc(size / 2), 0, size / 2, size / 2);
    await expect(moveStore(from, to)).rejects.toBeInstanceOf(StorageUnavailable);
  });
});
