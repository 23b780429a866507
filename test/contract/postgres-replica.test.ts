// What is opened for reading only reads a replica: a real standby, which follows its primary.
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { listMails } from "../../server/src/desk/mails.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { StorageUnavailable } from "../../server/src/storage/store.ts";
import { createDatabase, locate, postgresTest, startOwnServer } from "./postgres-under-test.ts";
import {
  accept,
  allMails,
  collectPages,
  findResume,
  inquiries,
  inquiry,
  minute,
  noon,
  offer,
  subscribers,
  subscription,
} from "./records.ts";
import { wholeScope } from "../../server/src/storage/desk-store.ts";

test("reads the replica, and nothing else does", async () => {
  await using primary = await createDatabase();
  await using replica = await createDatabase();
  const location = { ...locate(primary.url), replicaUrl: replica.url };
  await using store = await openStore(location);
  await accept(store, inquiry(1));
  expect(await inquiries(store)).toHaveLength(1);
  await using reader = await openStore(location, { access: "read-only" });
  expect(await inquiries(reader)).toEqual([]);
  expect(await allMails(reader)).toEqual([]);
});

test("a standby is read as far as no open transaction of the primary can store anything before it", async () => {
  await using primary = await startOwnServer();
  const database = await primary.create();
  await using standby = await primary.copy(async (folder) => {
    await writeFile(join(folder, "standby.signal"), "");
    const url = new URL(primary.url);
    const info = `host=127.0.0.1 port=${url.port} user=${url.username} password=${url.password}`;
    await appendFile(join(folder, "postgresql.auto.conf"), `\nprimary_conninfo = '${info}'\n`);
  });
  await using store = await openStore(locate(database.url));
  const location = { ...locate(database.url), replicaUrl: `${standby.url}/${database.name}` };
  await using reader = await openStore(location, { access: "read-only" });

  await accept(store, inquiry(1));
  await accept(store, subscription());
  await using late = await database.connect();
  await late.query(`BEGIN; INSERT INTO submission
    (kind, day_number, reference, received_at, name, email, email_key, status, door, request_id, fields)
    SELECT kind, 0, 'late', received_at, name, email, email_key, status, door, request_id, fields FROM submission`);
  await accept(store, inquiry(2));
  await vi.waitFor(async () => expect(await listMails(reader.desk, { limit: 10 })).toHaveLength(5), {
    timeout: minute,
  });

  let isDone = false;
  const read = collectPages(reader.readAll("inquiry", {})).finally(() => (isDone = true));
  // Many more round trips than the reader needs.
  for (let n = 0; n < 50; n += 1) await findResume(reader, "INQ-20261121-000000");
  // However many transactions the standby hears of.
  await database.query("BEGIN; SELECT pg_logical_emit_message(true, 'test', ''); COMMIT;".repeat(150));
  for (let n = 0; n < 50; n += 1) await findResume(reader, "INQ-20261121-000000");
  expect(isDone).toBe(false);
  await late.query("COMMIT");
  expect((await read).map(({ arrival }) => arrival)).toEqual([1, 2, 3]);

  // And if it hears of none.
  expect(await subscribers(reader)).toHaveLength(1);

  // A standby that stays behind is not read to an end that is none.
  await standby.administer("SELECT pg_wal_replay_pause()");
  await accept(store, inquiry(3));
  await expect(inquiries(reader)).rejects.toThrow("behind its primary");
  await standby.administer("SELECT pg_wal_replay_resume()");
  expect(await inquiries(reader)).toHaveLength(4);

  // It stores nothing.
  await expect(openStore(locate(location.replicaUrl)).then((other) => offer(other, inquiry(3)))).rejects.toBeInstanceOf(
    StorageUnavailable,
  );
  expect(await reader.checkReadiness()).toMatchObject({ ready: false });
  expect(await store.findEarlier({ procedure: "p", keyHash: "k", fingerprint: "f", createdAt: noon })).toBeNull();
});

// What operators read on PostgreSQL: over connections of their own, and no longer than a limit.
postgresTest("submissions are stored while every read of operators waits", async ({ store, database }) => {
  await using session = await database.connect();
  await session.query("BEGIN; LOCK TABLE audit IN ACCESS EXCLUSIVE MODE");
  let answered = 0;
  const reads = Array.from({ length: 10 }, () => store.desk.listAudit({}).finally(() => (answered += 1)));
  const all = Promise.allSettled(reads);
  await expect
    .poll(() => session.query("SELECT 1 FROM pg_locks WHERE relation = 'audit'::regclass AND NOT granted"))
    .toHaveLength(2);
  expect(await accept(store, inquiry(1))).toMatchObject({ result: "accepted" });
  expect(answered).toBe(0);
  await session.query("ROLLBACK");
  expect((await all).map(({ status }) => status)).toEqual(reads.map(() => "fulfilled"));
});

postgresTest("a list that takes longer than its limit is ended, and says so", async ({ database }) => {
  await using store = await openStore(locate(database.url), { readMs: 1_500 });
  await using session = await database.connect();
  await session.query("BEGIN; LOCK TABLE submission IN ACCESS EXCLUSIVE MODE");
  await expect(store.desk.listSubmissions(wholeScope, {}, {})).rejects.toMatchObject({ name: "ReadTooSlow" });
  await expect(store.desk.countByStatus(wholeScope, "")).rejects.toMatchObject({ name: "ReadTooSlow" });
  await session.query("ROLLBACK");
  expect(await store.desk.listSubmissions(wholeScope, {}, {})).toEqual({ rows: [], next: null });
});
