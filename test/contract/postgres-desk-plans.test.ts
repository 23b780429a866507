// The lists of the inbox walk along the index that is meant for them, with and without statistics.
import { expect, test } from "vitest";
import type { InboxFilter } from "../../shared/src/console.ts";
import { type Scope, wholeScope } from "../../server/src/storage/desk-store.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { listOf } from "../../server/src/storage/postgres/desk-lists.ts";
import { seedStore } from "../../server/src/seed/seed.ts";
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

/** The statement as a transaction of ours would plan it, with its values in place of the parameters. */
function explained(scope: Scope, filter: InboxFilter, isRare = false): string {
  const statement = listOf(scope, filter);
  if (statement === null) throw new Error("Nothing can match.");
  const { text: usual, rare } = statement;
  const values = [...statement.values, 0, 1_000_000_000, 51].map((value) =>
    typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`,
  );
  const text = ((isRare ? rare : undefined) ?? usual).replaceAll(
    /\$(\d+)/g,
    (_all, number: string) => values[Number(number) - 1] ?? "",
  );
  return `BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;
    ${statement.settings}; EXPLAIN ${text}`;
}

test("lists find their index, and searches theirs", async () => {
  await using database = await createDatabase("empty");
  const location = locate(database.url);
  const options = { count: 5_000, days: 30, now: Date.UTC(2026, 10, 21) };
  await seedStore(location, options);
  await using store = await openStore(location);
  while ((await store.desk.indexNext(1_000, (email) => email.endsWith("mailinator.com"))) > 0);
  for (const statistics of [false, true]) {
    if (statistics) await database.query("VACUUM ANALYZE");
    for (const [filter, scope, index] of cases) {
      const plan = JSON.stringify(await database.query(explained(scope, filter)));
      const what = `${JSON.stringify(filter)} ${statistics ? "with" : "without"} statistics: ${plan}`;
      expect(plan, what).toMatch(index);
      expect(plan, what).not.toContain("Sort");
    }
  }
  for (const [filter, index] of [
    [{ search: "zzzz" }, "submission_search_who"],
    [{ letter: "zzzz" }, "submission_search_letter"],
  ] as const) {
    const plan = JSON.stringify(await database.query(explained(wholeScope, filter, true)));
    expect(plan).toContain(`Bitmap Index Scan on ${index}`);
  }
  const rare = await store.desk.listSubmissions(wholeScope, { disposable: true }, {});
  expect(rare.rows.length).toBeGreaterThan(5);
  expect((await store.desk.listSubmissions(wholeScope, { search: "muller" }, {})).rows.length).toBeGreaterThan(5);
});
