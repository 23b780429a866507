// The lists of the inbox walk along the index that is meant for them, with and without statistics.
import { expect, test } from "vitest";
import type { InboxFilter } from "../../shared/src/console.ts";
import { type Scope, wholeScope } from "../../server/src/storage/desk-store.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { addressOf } from "../../server/src/storage/postgres/address.ts";
import { Connections } from "../../server/src/storage/postgres/connections.ts";
import { makeEngine, settingsFor } from "../../server/src/storage/postgres/engine.ts";
import { inbox } from "../../server/src/storage/postgres/inbox.ts";
import { References } from "../../server/src/storage/rules/references.ts";
import type { Engine } from "../../server/src/storage/sql/engine.ts";
import { makeInboxLists } from "../../server/src/storage/sql/inbox-list.ts";
import { seedStore } from "../../server/dev/seed/seed.ts";
import type { PostgresDatabase } from "../support/postgres-server.ts";
import { createDatabase, locate } from "./postgres-under-test.ts";

const sales: Scope = { kinds: ["inquiry"], subscribers: false };

const cases: readonly (readonly [InboxFilter, Scope, RegExp])[] = [
  [{}, wholeScope, /Index Scan( Backward)? using submission_pkey/],
  [{}, sales, /Index Only Scan( Backward)? using submission_kind/],
  [{ status: "new" }, wholeScope, /Index Only Scan( Backward)? using submission_status/],
  [
    { status: "done", kind: "application", hasResume: true },
    wholeScope,
    /Index Only Scan( Backward)? using submission_status/,
  ],
  [{ status: "spam", assignee: "none", order: "oldest" }, sales, /Index Only Scan using submission_status/],
  [{ assignee: "sam@example.org" }, wholeScope, /Index Only Scan( Backward)? using submission_assignee/],
  [{ assignee: "sam@example.org", status: "done" }, sales, /Index Only Scan( Backward)? using submission_assignee/],
  [{ disposable: true, status: "done" }, wholeScope, /Index Only Scan( Backward)? using submission_disposable/],
];

/** Explains the statements of a list, with their values in place of the parameters. */
async function explained(database: PostgresDatabase, scope: Scope, filter: InboxFilter): Promise<string[]> {
  const texts: string[] = [];
  await using connections = new Connections(addressOf(database.url), { max: 1 });
  const engine = makeEngine(connections, null);
  const noting: Engine = {
    ...engine,
    ranges: { ...engine.ranges, searchWidth: 1_000 },
    unprepared: (text, values, order) => {
      const plain = text.replaceAll(/\$(\d+)/g, (_all, number: string) => literal(values[Number(number) - 1]));
      texts.push(`${settingsFor(order)}; EXPLAIN ${plain}`);
      return engine.unprepared(text, values, order);
    },
  };
  await makeInboxLists(noting, new References("00".repeat(32)), inbox).listSubmissions(scope, filter, {});
  const plans = texts.map((text) =>
    database.query(`BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
      SET LOCAL enable_mergejoin = off; ${text}`),
  );
  return (await Promise.all(plans)).map((plan) => JSON.stringify(plan));
}

const literal = (value: unknown): string =>
  typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

test("lists find their index, and searches theirs", async () => {
  await using database = await createDatabase("empty");
  const location = locate(database.url);
  const options = { count: 5_000, days: 30, now: Date.UTC(2026, 10, 21) };
  await seedStore(location, options);
  await using store = await openStore(location);
  while ((await store.desk.indexNext(100, (email) => email.endsWith("mailinator.com"))) > 0);
  for (const statistics of [false, true]) {
    if (statistics) await database.query("VACUUM ANALYZE");
    for (const [filter, scope, index] of cases) {
      const [plan] = await explained(database, scope, filter);
      const what = `${JSON.stringify(filter)} ${statistics ? "with" : "without"} statistics: ${plan}`;
      expect(plan, what).toMatch(index);
      expect(plan, what).not.toContain("Sort");
    }
  }
  for (const [filter, index] of [
    [{ search: "zzzz" }, "submission_search_who"],
    [{ letter: "zzzz" }, "submission_search_letter"],
  ] as const) {
    // The second one: nothing was found among the nearest rows.
    const [, plan] = await explained(database, wholeScope, filter);
    expect(plan).toContain(`Bitmap Index Scan on ${index}`);
  }
  const rare = await store.desk.listSubmissions(wholeScope, { disposable: true }, {});
  expect(rare.rows.length).toBeGreaterThan(5);
  expect((await store.desk.listSubmissions(wholeScope, { search: "muller" }, {})).rows.length).toBeGreaterThan(5);
});
