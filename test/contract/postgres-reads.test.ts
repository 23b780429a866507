// What operators read on PostgreSQL: over connections of their own, and no longer than a limit.
import { expect } from "vitest";
import { openStore } from "../../server/src/storage/open-store.ts";
import { wholeScope } from "../../server/src/storage/desk-store.ts";
import { locate, postgresTest } from "./postgres-under-test.ts";
import { atNight } from "../support/many-or-few.ts";
import { accept, inquiry } from "./records.ts";

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

postgresTest.runIf(atNight)("a list that takes longer than its limit is ended, and says so", async ({ database }) => {
  await using store = await openStore(locate(database.url), { readMs: 1_500 });
  await using session = await database.connect();
  await session.query("BEGIN; LOCK TABLE submission IN ACCESS EXCLUSIVE MODE");
  await expect(store.desk.listSubmissions(wholeScope, {}, {})).rejects.toMatchObject({ name: "ReadTooSlow" });
  await expect(store.desk.countByStatus(wholeScope, "")).rejects.toMatchObject({ name: "ReadTooSlow" });
  await session.query("ROLLBACK");
  expect(await store.desk.listSubmissions(wholeScope, {}, {})).toEqual({ rows: [], next: null });
});
