// Every statement finds an index for what it does, in a new database and in a full one, and so does everything that is
// deleted with a row. The time that a submission takes must not grow with the tables.
import { Client, type QueryConfig } from "pg";
import { expect, test, vi } from "vitest";
import { openCallCounts } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { webhookEvents, type WebhookRow } from "../../shared/src/console.ts";
import type { PostgresDatabase } from "../support/postgres-server.ts";
import { digest } from "./guarantees/digest.ts";
import { eva } from "./guarantees/desk-lists.ts";
import { createDatabase, locate, openPostgresUnderTest, type PostgresUnderTest } from "./postgres-under-test.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  applications,
  findResume,
  inquiries,
  inquiry,
  lease,
  minute,
  noon,
  offer,
  subscribers,
  subscription,
  release,
} from "./records.ts";

const key = { procedure: "p", keyHash: "k", fingerprint: "f", createdAt: noon };
const challenge = { hash: "c", expiresAt: noon + minute };

/** Runs every method of the store, with all that it may meet. */
async function useEverything({ store, database }: PostgresUnderTest): Promise<void> {
  const [receipt] = (await accept(store, inquiry(1))).mails;
  const withResume = await acceptReference(store, application(2), { key, challenge });
  await offer(store, inquiry(3), { key });
  const spam = await acceptReference(store, inquiry(4), { spam: true });
  const record = subscription();
  await accept(store, record);
  await subscribeBusy({ store, database });
  await store.findEarlier(key);
  await findResume(store, withResume);
  await release(store, spam, noon);
  const link = (hash: string) => ({ tokenHash: hash, at: noon });
  await store.checkLink("confirm", link(record.confirm.hash));
  await store.confirmSubscription(link(record.confirm.hash));
  await store.unsubscribe(link(record.unsubscribe.hash));
  await store.suppress({ email: record.email, reason: "bounced", at: noon });
  await store.claimDueMails(noon, 10, lease);
  const failed = { result: "failed", error: "e", inactiveRecipient: true, denials: null } as const;
  await store.renewLeases([receipt?.id ?? ""], lease);
  await store.settleMails([{ id: receipt?.id ?? "", at: noon, ...failed }], lease.owner);
  await store.releaseMails(lease.owner, noon);
  await store.retryMails({ id: receipt?.id ?? "" }, noon);
  for (const status of ["failed", "in-doubt"] as const) await store.retryMails({ status }, noon);
  for (const status of ["queued", "sent", "failed", "in-doubt"] as const) await store.listMails({ status, limit: 1 });
  await allMails(store);
  await store.mailBacklog();
  await store.claimUnscanned(noon, 1, noon);
  await store.recordScan("key", "clean");
  await store.knownResumeKeys(["key"]);
  await store.forgetExpired(noon);
  await store.checkReadiness();
  await inquiries(store);
  await applications(store);
  await subscribers(store);
  await useWebhooks(store);
  await store.storeDigest(digest, noon);
  await using counts = await openCallCounts(locate(database.url), { alone: () => {}, together: () => {} });
  await counts?.forget(noon);
}

/** A subscription that waits for the lock of its address. The lock is let go once it waits, before it gives up. */
async function subscribeBusy({ store, database }: Pick<PostgresUnderTest, "store" | "database">): Promise<void> {
  await using held = await database.connect();
  await held.query("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('busy@example.org', 0))");
  const busy = accept(store, subscription({ email: "busy@example.org" }));
  const waiting = () =>
    held.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  while ((await waiting()).length === 0);
  await held.query("COMMIT");
  await busy;
}

async function useWebhooks({ webhooks }: Store): Promise<void> {
  const row = await webhooks.add({ url: "https://example.org", events: webhookEvents, secret: "whsec_1" }, eva);
  const { id } = row as WebhookRow;
  await webhooks.list();
  await webhooks.rotate(id, "whsec_2", eva);
  await webhooks.listDeliveries(null, {});
  await webhooks.listDeliveries(id, {});
  await webhooks.claimDeliveries({ now: noon, limit: 1, underWay: [], lease });
  await webhooks.settleDelivery("msg_1-1", { result: "failed", at: noon, answer: "e" }, lease.owner);
  await webhooks.replay("msg_1-1", eva);
  await webhooks.replayFailed(id, eva);
  await webhooks.remove(id, eva);
}

/** All statements with names, and their parameters' number. */
async function statementsOf(tested: PostgresUnderTest): Promise<Map<string, string>> {
  const statements = new Map<string, string>();
  const query = vi.spyOn(Client.prototype, "query");
  try {
    await useEverything(tested);
    for (const [config] of query.mock.calls as unknown as [QueryConfig][]) {
      if (config.name !== undefined) statements.set(config.name, config.text);
    }
  } finally {
    query.mockRestore();
  }
  return statements;
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
const partial = /^(mail_due|mail_stopped|submission_unscanned)$/;
// One row each, at most 20, or as many as there are migrations.
const small = /^(store|webhook|schema_migration)$/;

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
  // Rows with rows; there are few webhooks.
  const compares = /\w\.\w+ = \w+\.\w/.test(filter) && !filter.includes("webhook.id");
  return scans || reads || compares ? [`${type} ${table} ${index} ${filter}`, ...below] : below;
}

const growingIn = (explained: readonly Record<string, unknown>[]): string[] =>
  explained.flatMap((row) => row["QUERY PLAN"] as readonly { Plan: Plan }[]).flatMap(({ Plan: plan }) => growing(plan));

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

test("no statement reads more of a table than it needs, in a new database and in a full one", async () => {
  await using tested = await openPostgresUnderTest("test");
  const statements = await statementsOf(tested);
  expect(statements.size).toBeGreaterThan(45);
  await using empty = await createDatabase();
  expect(await plansOf(empty, statements)).toEqual({});
  await using full = await createDatabase();
  await full.query(fill);
  expect(await plansOf(full, statements)).toEqual({});
});

const fill = `
  INSERT INTO submission (kind, day_number, reference, received_at, name, email, email_key, status, receipt_at,
      resume_key, resume_scan, door, request_id, fields)
    SELECT 'inquiry', n, 'r', n, 'n', n, n, 'new', n, n, 'clean', 'rest', 'r', '{}' FROM generate_series(1, 20000) AS n;
  INSERT INTO mail (kind, submission, status, created_at)
    SELECT 'inquiry-receipt', n, 'sent', n FROM generate_series(1, 20000) AS n;
  INSERT INTO webhook (url, events, secret, created_at) VALUES ('u', 'e', 's', 1);
  INSERT INTO webhook_delivery (webhook, event, submission, created_at, due_at)
    SELECT 1, 'inquiry.received', n, n, n FROM generate_series(1, 20000) AS n;
  INSERT INTO subscriber (email_key, email, status, source, last_source, subscribed_at, door, request_id)
    SELECT n, n, 'active', 's', 's', n, 'rest', 'r' FROM generate_series(1, 20000) AS n;
  INSERT INTO newsletter_token SELECT n, n, 'confirm', n, n FROM generate_series(1, 20000) AS n;
  INSERT INTO suppression SELECT n, 'bounced', n FROM generate_series(1, 20000) AS n;
  INSERT INTO idempotency SELECT 'p', n, 'f', n, NULL, n FROM generate_series(1, 20000) AS n;
  INSERT INTO spent_challenge SELECT n, n FROM generate_series(1, 20000) AS n;
  INSERT INTO call_count SELECT n, 1, n FROM generate_series(1, 20000) AS n;
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
