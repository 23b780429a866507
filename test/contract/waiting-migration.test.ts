// Who is waited for, in a store of the release before: filled from the replies that are there, and kept beside an older
// process, which knows nothing of it.
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore, migrate, type StoreLocation } from "../../server/src/storage/open-store.ts";
import { addressOf } from "../../server/src/storage/postgres/address.ts";
import { Connections } from "../../server/src/storage/postgres/connections.ts";
import { applyPending, postgresMigrations } from "../../server/src/storage/postgres/migrate.ts";
import { sqliteMigrations } from "../../server/src/storage/sqlite/migrate.ts";
import { openFolder } from "../support/folder.ts";
import { createDatabase } from "../support/service-database.ts";
import { locate } from "./postgres-under-test.ts";
import { useRaw } from "./sqlite-under-test.ts";

type Query = (text: string) => Promise<readonly Record<string, unknown>[]>;

/** The number of the migration that is tried. */
const tried = 7;

/** A database as the release before left it. */
const engines = {
  sqlite: async (folder: string) => {
    const file = join(folder, "submissions.sqlite");
    useRaw(file, (database) => {
      database.exec(
        "CREATE TABLE schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
      );
      for (const { number, name, script } of sqliteMigrations().slice(0, tried - 1)) {
        database.exec(script);
        database.prepare("INSERT INTO schema_migration VALUES (?, ?, 0)").run(number, name);
      }
    });
    const query: Query = async (text) =>
      useRaw(file, (database) =>
        database
          .prepare(text)
          .all()
          .map((row) => ({ ...row })),
      );
    return { location: { kind: "sqlite", file } as StoreLocation, query };
  },
  postgres: async () => {
    const database = await createDatabase("empty");
    await using connections = new Connections(addressOf(database.url), { max: 1, answerMs: 0 });
    await applyPending(connections, undefined, postgresMigrations().slice(0, tried - 1));
    return { location: locate(database.url) as StoreLocation, query: database.query };
  },
};

test.each(["sqlite", "postgres"] as const)("times of replies are filled in and kept on %s", async (name) => {
  await using folder = await openFolder();
  const { location, query } = await engines[name](folder.path);
  const submission = (number: number, status: string) =>
    query(`INSERT INTO submission (arrival, kind, day_number, reference, received_at, name, email, email_key, status, door,
        request_id, fields)
      VALUES (${number}, 'inquiry', ${number}, 'INQ-${number}', 1, 'Ann', 'ann@example.org', 'ann@example.org',
        '${status}', 'rest', 'r', '{}')`);
  const reply = (number: number, at: number) =>
    query(`INSERT INTO reply (submission, author, at, text) VALUES (${number}, 'eva@example.org', ${at}, 'Hello.')`);
  const audit = (number: number, at: number, to: string) =>
    query(`INSERT INTO audit (at, operator, action, subject, detail)
      VALUES (${at}, 'eva@example.org', 'status', 'INQ-${number}', '{"from":"new","to":"${to}"}')`);
  await submission(1, "new");
  await submission(2, "done");
  await submission(3, "open");
  for (const at of [20, 10, 30]) await reply(1, at);
  for (const [at, to] of [
    [40, "done"],
    [50, "open"],
    [60, "done"],
  ] as const)
    await audit(2, at, to);
  await audit(3, 70, "done");
  expect(await migrate(location)).toContain("0007-waiting");
  const times = async (number: number) => {
    const [row] = await query(
      `SELECT first_reply_at, last_reply_at, done_at FROM submission WHERE arrival = ${number}`,
    );
    return Object.values(row ?? {}).map((at) => (at === null ? null : Number(at)));
  };
  expect([await times(1), await times(2), await times(3)]).toEqual([
    [10, 30, null],
    [null, null, 60],
    [null, null, null],
  ]);
  // As an older process sends a reply, takes it back, and erases a person.
  await reply(3, 80);
  expect(await times(3)).toEqual([80, 80, null]);
  await query("DELETE FROM reply WHERE submission = 3 OR at = 30");
  expect([await times(1), await times(3)]).toEqual([
    [10, 20, null],
    [null, null, null],
  ]);
  await query("DELETE FROM submission WHERE arrival = 1");
  expect(await query("SELECT id FROM reply")).toEqual([]);
  await using store = await openStore(location);
  expect(await store.checkReadiness()).toEqual({ ready: true });
});
