// Every statement finds an index: the time that a submission takes must not grow with the tables.
import { expect, test, vi } from "vitest";
import type { InboxFilter } from "../../shared/src/console.ts";
import { systemClock } from "../../server/src/clock.ts";
import { seedStore } from "../../server/dev/seed/seed.ts";
import { type Scope, wholeScope } from "../../server/src/storage/desk-store.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { addressOf } from "../../server/src/storage/postgres/address.ts";
import { Connections } from "../../server/src/storage/postgres/connections.ts";
import { makeEngine, settingsFor } from "../../server/src/storage/postgres/engine.ts";
import { inbox } from "../../server/src/storage/postgres/inbox.ts";
import type * as Statements from "../../server/src/storage/postgres/statement.ts";
import { References } from "../../server/src/storage/rules/references.ts";
import type { Engine } from "../../server/src/storage/sql/engine.ts";
import { makeInboxLists } from "../../server/src/storage/sql/inbox-list.ts";
import { nightly } from "../support/many-or-few.ts";
import type { PostgresDatabase } from "../support/postgres-server.ts";
import { createDatabase } from "../support/service-database.ts";
import { locate } from "./postgres-under-test.ts";

const place = "../../server/src/storage/postgres/statement.ts";

/** The texts of all statements that are prepared, by their names. Files share a worker, so modules are loaded anew. */
async function prepareAll(url: string): Promise<Map<string, string>> {
  const statements = new Map<string, string>();
  vi.resetModules();
  vi.doMock(place, async (load) => {
    const actual = await load<typeof Statements>();
    const noted = (statement: ReturnType<typeof actual.prepared>) => {
      statements.set(statement.name, statement.text);
      return statement;
    };
    return { ...actual, prepared: (text: string) => noted(actual.prepared(text)) };
  });
  try {
    const anew = await import("../../server/src/storage/open-store.ts");
    await using _store = await anew.openStore(locate(url));
    await using _counts = await anew.openRateLimitStore(locate(url), { alone: () => {}, together: () => {} });
    return statements;
  } finally {
    vi.doUnmock(place);
    vi.resetModules();
  }
}

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Join Filter"?: string;
  readonly Plans?: readonly Plan[];
}

// These hold few rows among those of their table, or are read in their order up to a limit.
const partial =
  /^(mail_due|mail_stopped|submission_unscanned|submission_spam|answer_file_unscanned|reply_file_unsent|search_again_pkey|submission_ours|submission_theirs|submission_wrote_back)$/;
// One row each, at most 20, or as many as there are migrations, operators, their tokens, mailboxes or saved answers (200 a kind).
const small = /^(store|search_progress|webhook|schema_migration|operator|api_token|saved_answer|inbound_mailbox)$/;

/** What of a plan grows with a table, or with the square of the rows that a statement is given. */
function growing(plan: Plan, isLimited = false): string[] {
  const { "Node Type": type, "Relation Name": table = "", "Index Name": index = "", "Join Filter": filter = "" } = plan;
  const limited = isLimited || type === "Limit";
  const below = (plan.Plans ?? []).flatMap((one) => growing(one, limited));
  const scans = type === "Seq Scan" && !small.test(table);
  const reads =
    type.startsWith("Index") &&
    plan["Index Cond"] === undefined &&
    !limited &&
    !partial.test(index) &&
    !small.test(table);
  // Rows with rows; there are few webhooks and operators.
  const compares = /\w\.\w+ = \w+\.\w/.test(filter) && !/webhook\.id|operator\.email/.test(filter);
  return scans || reads || compares ? [`${type} ${table} ${index} ${filter}`, ...below] : below;
}

const growingIn = (answers: readonly Record<string, unknown>[]): string[] =>
  answers.flatMap((row) => row["QUERY PLAN"] as readonly { Plan: Plan }[]).flatMap(({ Plan: plan }) => growing(plan));

const settings = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"].map((name) => `SET ${name} = off`);

async function plansOf(database: PostgresDatabase, statements: ReadonlyMap<string, string>) {
  const found: Record<string, readonly string[]> = {};
  await using session = await database.connect();
  await session.query([...settings, "SET plan_cache_mode = force_generic_plan"].join("; "));
  for (const [name, text] of statements) {
    const parameters = new Set(text.match(/\$\d+/g)).size;
    await session.query(`PREPARE planned AS ${text}`);
    const values = parameters === 0 ? "" : `(${Array(parameters).fill("NULL").join(", ")})`;
    const grows = growingIn(await session.query(`EXPLAIN (FORMAT JSON) EXECUTE planned${values}`));
    await session.query("DEALLOCATE planned");
    if (grows.length > 0) found[name] = grows;
  }
  return found;
}

nightly("no statement reads more of a table than it needs, in a new database and in a full one", async () => {
  await using empty = await createDatabase();
  const statements = await prepareAll(empty.url);
  expect(statements.size).toBeGreaterThan(100);
  expect(await plansOf(empty, statements)).toEqual({});
  await using full = await createDatabase();
  await full.query(fill);
  expect(await plansOf(full, statements)).toEqual({});
});

// So many that a plan which reads a whole table costs more than one which does not.
const rows = 4_000;

const fill = `
  INSERT INTO submission (kind, day_number, reference, received_at, name, email, email_key, status, receipt_at,
      resume_key, resume_scan, door, request_id, fields)
    SELECT 'inquiry', n, 'r', n, 'n', n, n, 'new', n, n, 'clean', 'rest', 'r', '{}' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO mail (kind, submission, status, created_at)
    SELECT 'inquiry-receipt', n, 'sent', n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO webhook (url, events, secret, created_at) VALUES ('u', 'e', 's', 1);
  INSERT INTO webhook_delivery (webhook, event, submission, created_at, due_at)
    SELECT 1, 'inquiry.received', n, n, n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO subscriber (email_key, email, status, source, last_source, subscribed_at, language, door, request_id)
    SELECT n, n, 'active', 's', 's', n, 'en', 'rest', 'r' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO newsletter_token SELECT n, n, 'confirm', n, n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO suppression SELECT n, 'bounced', n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO idempotency SELECT 'p', n, 'f', n, NULL, n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO spent_challenge SELECT n, n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO note (submission, author, at, text) SELECT n, 'a', n, 't' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO reply (submission, author, at, text) SELECT n, 'a', n, 't' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO answer (submission, at, identity, sender_address, sender_name, sender, subject, text)
    SELECT n, n, n, 'a', 'n', 'person', 's', 't' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO answer_file (answer, name, size, kind, sha256, file_key, scan)
    SELECT n, 'n', 1, 'pdf', 's', n, 'clean' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO reply_file (submission, reply, author, at, name, size, sha256, file_key)
    SELECT n, n, 'a', n, 'n', 1, 's', n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO unmatched (at, identity, sender_address, sender_key, sender_name, automatic, subject, text, files)
    SELECT n, n, 'a', n, 'n', 0, 's', 't', '[]' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO tag (submission, kind, word) SELECT n, 'inquiry', n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO audit (at, operator, action, subject, detail)
    SELECT n, 'o', 'status', n, '{}' FROM generate_series(1, ${rows}) AS n;
  INSERT INTO day_count SELECT n, 'inquiry', n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO erased_resume SELECT n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO operator (email, email_key, role, created_at) SELECT n, n, 'admin', n FROM generate_series(1, 20) AS n;
  INSERT INTO session SELECT n, 1 + n % 20, n, n FROM generate_series(1, ${rows}) AS n;
  INSERT INTO call_count SELECT n, 1, n FROM generate_series(1, ${rows}) AS n;
  ANALYZE`;

test("everything that refers to a row is found by an index, so that erasing the row scans no table", async () => {
  await using database = await createDatabase();
  const references = await database.query(`
    SELECT conrelid::regclass::text AS child, attname AS column,
      CASE WHEN atttypid IN ('int'::regtype, 'bigint'::regtype) THEN '7' ELSE quote_literal('a') END AS value
    FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1] WHERE contype = 'f'`);
  expect(references.length).toBeGreaterThan(4);
  const erasedByTrigger = ["mail", "idempotency"].map((child) => ({ child, column: "submission", value: "7" }));
  await using session = await database.connect();
  await session.query(settings.join("; "));
  for (const reference of [...references, ...erasedByTrigger]) {
    const [child, column, value] = Object.values(reference) as [string, string, string];
    const text = `EXPLAIN (FORMAT JSON) DELETE FROM ${child} WHERE ${column} = ${value}`;
    expect(growingIn(await session.query(text)), `${child}.${column}`).toEqual([]);
  }
});

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
  [{ waiting: "us", status: "open" }, wholeScope, /Index( Only)? Scan( Backward)? using submission_ours/],
  [{ waiting: "them", kind: "inquiry" }, sales, /Index( Only)? Scan( Backward)? using submission_theirs/],
  [{ disposable: true, status: "done" }, wholeScope, /Index Only Scan( Backward)? using submission_disposable/],
];

/** Explains the statements of a list, with their values in place of the parameters. */
async function explained(database: PostgresDatabase, scope: Scope, filter: InboxFilter): Promise<string[]> {
  const texts: string[] = [];
  await using connections = new Connections(addressOf(database.url), { max: 1 });
  const engine = makeEngine(connections);
  const noting: Engine = {
    ...engine,
    ranges: { ...engine.ranges, searchWidth: 1_000 },
    unprepared: (text, values, order) => {
      const plain = text.replaceAll(/\$(\d+)/g, (_all, number: string) => literal(values[Number(number) - 1]));
      texts.push(`${settingsFor(order)}; EXPLAIN ${plain}`);
      return engine.unprepared(text, values, order);
    },
  };
  await makeInboxLists(noting, new References("00".repeat(32)), inbox, systemClock).listSubmissions(scope, filter, {});
  const plans = texts.map((text) =>
    database.query(`SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
      SET LOCAL enable_mergejoin = off; ${text}`),
  );
  return (await Promise.all(plans)).map((plan) => JSON.stringify(plan));
}

const literal = (value: unknown): string =>
  typeof value === "number" ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

nightly("lists find their index, and searches theirs", async () => {
  await using database = await createDatabase("empty");
  const location = locate(database.url);
  const options = { count: 3_000, days: 30, now: Date.UTC(2026, 10, 21) };
  await seedStore(location, options);
  await using store = await openStore(location);
  while ((await store.desk.indexNext(100, (email) => email.endsWith("mailinator.com"))).more);
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
    [{ search: "東京音声" }, "submission_search_who"],
    [{ letter: "方言" }, "submission_search_letter"],
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
