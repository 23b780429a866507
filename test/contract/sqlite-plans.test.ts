// Every statement finds an index for what it does, and so does everything that is deleted with a row.
import { expect, test, vi } from "vitest";
import { sharesOfMax } from "../../shared/src/console.ts";
import { systemClock } from "../../server/src/clock.ts";
import { SqliteConnection } from "../../server/src/storage/sqlite/connection.ts";
import { applyPending } from "../../server/src/storage/sqlite/migrate.ts";
import { makeSqliteStore } from "../../server/src/storage/sqlite/sqlite-store.ts";
import { openFolder } from "../support/folder.ts";

async function openMigrated(file: string): Promise<SqliteConnection> {
  const connection = new SqliteConnection(file);
  connection.configure();
  await applyPending(connection);
  return connection;
}

const tableScan =
  /^SCAN (submission|subscriber|newsletter_token|token|mail|suppression|webhook_delivery|delivery|idempotency|spent_challenge|day_counter|answer|answer_file|reply|reply_file|note)\b(?!.* INDEX )/;

// 100,000 submissions of one address are sorted in 75 ms. An index in this order would cost every submission a page.
const ofOnePerson = /FROM submission INDEXED BY submission_email\s+WHERE email_key = \?/;

// At most so many of each kind are grouped.
const ofTheLatest = new RegExp(`WITH latest AS \\(.* LIMIT ${sharesOfMax}\\)`, "s");

// Grouped by source, 20,000 at once.
const ofSomeSubscribers = /FROM subscriber WHERE arrival > \?1 AND arrival <= \?2 GROUP BY source/;

test("no statement scans a table, or sorts more than one person's submissions", async () => {
  await using folder = await openFolder();
  const connection = await openMigrated(`${folder.path}/plans.db`);
  const prepared = [vi.spyOn(connection, "prepare"), vi.spyOn(connection, "prepareAtFirstUse")];
  await using _store = makeSqliteStore(connection, { clock: systemClock });
  const texts = prepared.flatMap(({ mock }) => mock.calls.map(([text]) => text));
  expect(texts.length).toBeGreaterThan(50);
  for (const text of texts) {
    const plan = connection.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`).map(({ detail }) => detail);
    const isSmall = [ofOnePerson, ofTheLatest, ofSomeSubscribers].some((one) => one.test(text));
    const sorts = (detail: string) => detail.includes("TEMP B-TREE") && !isSmall;
    const slow = plan.filter((detail) => tableScan.test(detail) || sorts(detail));
    expect(slow, text).toEqual([]);
    // What waits or has stopped is few among what was ever sent.
    if (/FROM mail\b.*WHERE (mail\.)?status (=|IN) /s.test(text))
      expect(plan.join(), text).toMatch(/mail_due|mail_stopped/);
  }
});

test("everything that refers to a row is found by an index, so that erasing the row scans no table", async () => {
  await using folder = await openFolder();
  using connection = await openMigrated(`${folder.path}/plans.db`);
  const references = connection.query<{ child: string; column: string }>(`
    SELECT tables.name AS child, keys."from" AS column
    FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys WHERE tables.type = 'table'`);
  expect(references.length).toBeGreaterThan(4);
  for (const { child, column } of references) {
    const text = `EXPLAIN QUERY PLAN DELETE FROM ${child} WHERE ${column} = ?`;
    const [plan] = connection.query<{ detail: string }>(text);
    expect(plan?.detail, `${child}.${column}`).toMatch(/INDEX|PRIMARY KEY/);
  }
});
