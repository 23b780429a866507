// Work that grows with a table is done in batches on PostgreSQL, and waits for no row that is held.
import { expect } from "vitest";
import { openRateLimitStore } from "../../server/src/storage/open-store.ts";
import { forgottenAtOnce } from "../../server/src/storage/sql/housekeeping.ts";
import type { Store } from "../../server/src/storage/store.ts";
import type { PostgresDatabase } from "../support/postgres-server.ts";
import { locate, postgresTest as test } from "./postgres-under-test.ts";
import { noon, wakeAll } from "./records.ts";

const rows = 1_203;
const dayMs = 24 * 60 * 60 * 1000;

async function hold(database: PostgresDatabase, rowsToHold: string) {
  const session = await database.connect();
  await session.query(`BEGIN; SELECT FROM ${rowsToHold} FOR UPDATE`);
  return session;
}

async function noteChanges(database: PostgresDatabase, table: string) {
  await database.query(`
    CREATE TABLE changed (by BIGINT);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO changed VALUES (txid_current()); RETURN NULL; END $$;
    CREATE TRIGGER note AFTER UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION note()`);
  const remove = async () => void (await database.query("DROP FUNCTION note CASCADE; DROP TABLE changed"));
  return { [Symbol.asyncDispose]: remove };
}

const mostAtOnce = async (database: PostgresDatabase) => {
  const [most] = await database.query(
    "SELECT max(count)::integer AS most FROM (SELECT count(*) FROM changed GROUP BY by) AS counts",
  );
  return most?.["most"];
};

async function forgetAll(store: Store): Promise<number> {
  let all = 0;
  for (;;) {
    const { forgotten, more } = await store.forgetExpired(noon);
    all += forgotten;
    if (!more) return all;
  }
}

const submission = `
  INSERT INTO submission (arrival, kind, day_number, reference, received_at, name, email, email_key, status, door,
    request_id, fields) VALUES (1, 'inquiry', 1, 'r', 1, 'n', 'e', 'e', 'new', 'rest', 'r', '{}')`;

test.for([
  ["idempotency", `'p', n::text, 'f', NULL, NULL, ${noon - dayMs - rows} + n`, "key_hash = '7'"],
  ["spent_challenge", `n::text, ${noon - dayMs - rows} + n`, "challenge_hash = '7'"],
  ["mail", `n, 'inquiry-receipt', 1, NULL, NULL, NULL, NULL, 'sent', 1, ${noon - 91 * dayMs - rows} + n`, "id = 7"],
] as const)("%s is forgotten in batches, but for a held row", async ([table, values, held], { store, database }) => {
  await database.query(submission);
  await database.query(`INSERT INTO ${table} SELECT ${values} FROM generate_series(1, ${rows}) AS n`);
  await using _changes = await noteChanges(database, table);
  {
    await using _held = await hold(database, `${table} WHERE ${held}`);
    expect(await forgetAll(store)).toBe(rows - 1);
  }
  expect(await mostAtOnce(database)).toBe(forgottenAtOnce);
  expect(await database.query(`SELECT FROM ${table}`)).toHaveLength(1);
  expect(await forgetAll(store)).toBe(1);
});

test("failed mails are woken, but for one that is held", async ({ store, database }) => {
  // Each is woken by itself.
  const mails = 120;
  await database.query(submission);
  await database.query(`
    INSERT INTO mail (id, kind, submission, status, attempts, created_at)
    SELECT n, 'inquiry-notice', 1, 'failed', 9, n FROM generate_series(1, ${mails}) AS n`);
  {
    await using _held = await hold(database, "mail WHERE id = 7");
    expect(await wakeAll(store, "failed", noon)).toBe(mails - 1);
  }
  expect(await wakeAll(store, "failed", noon)).toBe(1);
  expect(await store.mailBacklog()).toMatchObject({ queued: mails, failed: 0 });
});

test("windows of callers that are over are forgotten in batches, but for one that is held", async ({ database }) => {
  const events: string[] = [];
  const told = { alone: () => void events.push("alone"), together: () => void events.push("together") };
  await using counts = await openRateLimitStore(locate(database.url), told);
  await database.query(`INSERT INTO call_count SELECT n::text, 1, n FROM generate_series(1, ${rows + 6}) AS n`);
  await using _changes = await noteChanges(database, "call_count");
  {
    await using _held = await hold(database, "call_count WHERE key = '7'");
    await counts?.forget(rows);
  }
  expect(await mostAtOnce(database)).toBe(forgottenAtOnce);
  expect(await database.query("SELECT FROM call_count")).toHaveLength(7);
  expect(events).toEqual([]);
});
