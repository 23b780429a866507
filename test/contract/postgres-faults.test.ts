// What the PostgreSQL engine does when the server, or the way to it, fails: nothing acknowledged is lost, nothing is stored
// twice, what cannot be known is called unknown, and all comes back by itself.
import { describe, expect, test, vi } from "vitest";
import { openCallCounts, openStore, type OpenStore } from "../../server/src/storage/open-store.ts";
import { StorageUnavailable } from "../../server/src/storage/store.ts";
import { CutWire } from "../support/cut-wire.ts";
import { type PostgresDatabase, startPostgres } from "../support/postgres-server.ts";
import { locate, openPostgresUnderTest, type PostgresUnderTest } from "./postgres-under-test.ts";
import { application, collect, inquiry, lease, mail, noon, subscription, welcome } from "./records.ts";

const key = { procedure: "marketplace.inquiry", keyHash: "a".repeat(64), fingerprint: "b".repeat(64), createdAt: noon };

/** How a call ended. */
const ended = (call: Promise<unknown>) =>
  call.then(
    (result) => ({ result }),
    (error: unknown) =>
      error instanceof StorageUnavailable ? { refused: error.outcome, why: error.message } : { error },
  );

const counted = async (store: OpenStore) => ({
  inquiries: (await collect(store.exportInquiries(0))).length,
  mails: (await store.listMails({ limit: 100 })).length,
});

/** A store whose connections go through a wire that can be cut, and one whose connections do not. */
async function openOverWire(): Promise<PostgresUnderTest & { readonly wire: CutWire; readonly wired: OpenStore }> {
  const stack = new AsyncDisposableStack();
  const tested = stack.use(await openPostgresUnderTest("test"));
  const wire = stack.use(await CutWire.open(tested.database.url));
  const wired = stack.use(await openStore(locate(wire.url)));
  return Object.assign(tested, { wire, wired, [Symbol.asyncDispose]: () => stack.disposeAsync() });
}

describe.concurrent("a COMMIT whose answer is lost", () => {
  test.each([
    ["lost", "before the server heard of it"],
    ["answer lost", "after the server did it"],
  ] as const)("is found out: the connection broke (%s) %s, and all is stored once", async (mishap, _when) => {
    await using tested = await openOverWire();
    const { wire, wired, store } = tested;
    wire.next(mishap);
    const mails = [mail(), mail({ kind: "inquiry-notice" })];
    const accepted = await wired.acceptInquiry(inquiry(1), mails, lease, key);
    expect(accepted).toEqual({ result: "accepted", mails: mails.map(({ id }) => id) });
    expect(await counted(store)).toEqual({ inquiries: 1, mails: 2 });
  });

  test.each(["lost", "answer lost"] as const)("is found out for all that shared it (%s)", async (mishap) => {
    await using tested = await openOverWire();
    const { wire, wired, store } = tested;
    wire.next(mishap);
    const answers = await Promise.all([
      ...[1, 2, 3].map((number) => wired.acceptInquiry(inquiry(number), [mail()], lease)),
      wired.acceptApplication(application(1), [], lease),
      wired.acceptSubscription(subscription(), welcome(), lease),
    ]);
    expect(answers.map(({ result }) => result)).toEqual(Array(5).fill("accepted"));
    expect(await counted(store)).toEqual({ inquiries: 3, mails: 4 });
    expect(await collect(store.exportApplications(0))).toHaveLength(1);
  });

  test.each([
    ["its row, without mails", (store: OpenStore) => store.acceptInquiry(inquiry(1), [], lease)],
    ["its row in the other table", (store: OpenStore) => store.acceptApplication(application(1), [], lease)],
    ["its key, where nothing is kept", (store: OpenStore) => store.acceptNothing(key, null)],
  ])("is found out by %s", async (_by, accept) => {
    await using tested = await openOverWire();
    tested.wire.next("answer lost");
    expect(await accept(tested.wired)).toMatchObject({ result: "accepted" });
    expect(tested.wire.commits).toBeGreaterThan(1);
  });

  test("is known not to be stored once the server has given up a transaction that it heard nothing more of", async () => {
    await using tested = await openOverWire();
    tested.wire.next("silence");
    const refused = await ended(tested.wired.acceptInquiry(inquiry(1), [mail()], lease));
    expect(refused).toMatchObject({ refused: "not-stored" });
    expect(await counted(tested.store)).toEqual({ inquiries: 0, mails: 0 });
  });

  test.each([
    ["lost", 0],
    ["answer lost", 1],
  ] as const)("is called unknown when nobody can be asked (%s), stored %i times", async (mishap, stored) => {
    await using tested = await openOverWire();
    const { wire, wired, store } = tested;
    wire.breakForGood = true;
    wire.next(mishap);
    expect(await ended(wired.acceptInquiry(inquiry(1), [mail()], lease, key))).toMatchObject({ refused: "unknown" });
    expect(await counted(store)).toEqual({ inquiries: stored, mails: stored });
    wire.mend();
    // Whoever tries again with the same key learns it.
    const again = await wired.acceptInquiry(inquiry(2), [mail()], lease, key);
    expect(again.result).toBe(stored === 1 ? "repeated" : "accepted");
  });

  test("is called unknown for what leaves no trace of its own", async () => {
    await using tested = await openOverWire();
    tested.wire.next("answer lost");
    const change = { email: "ann@example.org", reason: "bounced", at: noon } as const;
    expect(await ended(tested.wired.suppress(change))).toMatchObject({ refused: "unknown" });
    expect(await tested.wired.suppress(change)).toBe(false);
  });
});

describe.concurrent("a connection that the server ends", () => {
  test("while it is idle is replaced without anybody noticing", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    for (const number of [1, 2, 3]) {
      await store.acceptInquiry(inquiry(number), [], lease);
      await endConnections(database);
    }
    expect(await counted(store)).toMatchObject({ inquiries: 3 });
  });

  test("in the middle of a transaction leaves nothing of it, and the transaction runs again", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    await trip(database, "once", "PERFORM pg_terminate_backend(pg_backend_pid())");
    expect(await store.acceptInquiry(inquiry(1), [mail()], lease)).toMatchObject({ result: "accepted" });
    expect(await counted(store)).toEqual({ inquiries: 1, mails: 1 });
    expect(store.commitCounts.busyTries).toBe(1);
  });
});

describe.concurrent("a server that", () => {
  test("is restarted refuses for as long as that takes, and then all goes on", async () => {
    await using server = await startPostgres();
    await server.makeTemplate();
    await using database = await server.create();
    await using store = await openStore(locate(database.url));
    await store.acceptInquiry(inquiry(1), [], lease);
    await server.stop();
    expect(await ended(store.acceptInquiry(inquiry(2), [], lease))).toMatchObject({ refused: "not-stored" });
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
    await expect(openStore(locate(database.url))).rejects.toBeInstanceOf(StorageUnavailable);
    await server.start();
    expect(await store.checkReadiness()).toEqual({ ready: true });
    expect(await store.acceptInquiry(inquiry(2), [], lease)).toMatchObject({ result: "accepted" });
    expect(await counted(store)).toMatchObject({ inquiries: 2 });
  });

  test("became read-only is unavailable until it is writable, or another is", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    await database.set("SET default_transaction_read_only = on");
    await endConnections(database);
    expect(await ended(store.acceptInquiry(inquiry(1), [mail()], lease))).toMatchObject({
      refused: "not-stored",
      why: expect.stringContaining("25006") as string,
    });
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
    await database.set("RESET default_transaction_read_only");
    expect(await store.checkReadiness()).toEqual({ ready: true });
    expect(await store.acceptInquiry(inquiry(1), [mail()], lease)).toMatchObject({ result: "accepted" });
  });

  test.each([
    ["has a full disk", "53100"],
    ["is out of memory", "53200"],
    ["cannot read its disk", "58030"],
  ])("%s is unavailable, and nothing is stored", async (_why, code) => {
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    await trip(database, "always", `RAISE EXCEPTION 'no' USING ERRCODE = '${code}'`);
    const both = [1, 2].map((number) => ended(store.acceptInquiry(inquiry(number), [mail()], lease)));
    const refused = { refused: "not-stored", why: expect.stringContaining(code) as string };
    expect(await Promise.all(both)).toEqual([refused, refused]);
    expect(await counted(store)).toEqual({ inquiries: 0, mails: 0 });
  });

  test("takes too long over a statement is not waited for", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    await trip(database, "always", "PERFORM pg_sleep(60)");
    expect(await ended(store.acceptInquiry(inquiry(1), [], lease))).toMatchObject({
      refused: "not-stored",
      why: expect.stringContaining("57014") as string,
    });
  });

  test("holds a lock is not waited for, and readiness says so sooner", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    const held = database.query("BEGIN; LOCK TABLE inquiry, probe; SELECT pg_sleep(60)").catch(() => "ended");
    const probeLocks = () => database.query("SELECT 1 FROM pg_locks WHERE relation = 'probe'::regclass AND granted");
    await vi.waitFor(async () => expect(await probeLocks()).not.toHaveLength(0));
    const refused = ended(store.acceptInquiry(inquiry(1), [], lease));
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
    expect(await refused).toMatchObject({ refused: "not-stored", why: expect.stringContaining("55P03") as string });
    await endConnections(database);
    await held;
    expect(await store.acceptInquiry(inquiry(1), [], lease)).toMatchObject({ result: "accepted" });
  });

  test("holds up a look as well, which it gives up with us, so that nothing piles up there", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    const held = database.query("BEGIN; LOCK TABLE idempotency; SELECT pg_sleep(60)").catch(() => "ended");
    const locks = (granted: boolean) =>
      database.query(`SELECT 1 FROM pg_locks WHERE relation = 'idempotency'::regclass AND granted = ${granted}`);
    await vi.waitFor(async () => expect(await locks(true)).not.toHaveLength(0));
    const looks = Array.from({ length: 4 }, () => ended(store.findIdempotency(key.procedure, key.keyHash, 0)));
    const refused = { refused: "not-stored", why: expect.stringContaining("55P03") as string };
    expect(await Promise.all(looks)).toEqual(looks.map(() => refused));
    expect(await locks(false)).toEqual([]);
    await endConnections(database);
    await held;
    expect(await store.findIdempotency(key.procedure, key.keyHash, 0)).toBeNull();
  });

  test("has no connection left is unavailable", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { database } = tested;
    await database.query(`
      CREATE ROLE crowded LOGIN PASSWORD 'secret' CONNECTION LIMIT 0;
      GRANT USAGE ON SCHEMA public TO crowded`);
    const url = new URL(database.url);
    url.username = "crowded";
    const opened = await ended(openStore(locate(url.href)));
    expect(opened).toMatchObject({ refused: "not-stored", why: expect.stringContaining("53300") as string });
    url.password = "wrong";
    const wrong = await ended(openStore(locate(url.href)));
    expect(wrong).toMatchObject({ why: expect.stringContaining("28P01") as string });
    expect(JSON.stringify(wrong)).not.toContain("crowded");
    await database.query("DROP OWNED BY crowded; DROP ROLE crowded");
  });
});

test.each([
  ["idempotency keys", "idempotency", (store: OpenStore) => store.forgetIdempotency(noon)],
  ["challenges", "spent_challenge", (store: OpenStore) => store.forgetChallenges(noon)],
])(
  "%s that have run out are forgotten however many there are, and none that somebody holds is waited for",
  async (...which) => {
    const [_what, table, forget] = which;
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    const values = table === "idempotency" ? "'p', n::text, 'f', NULL, NULL, n" : "n::text, n";
    await database.query(
      `INSERT INTO ${table} SELECT ${values} FROM generate_series(${noon - 25_000}, ${noon + 5}) AS n`,
    );
    await database.query(`
    CREATE TABLE deleted (at BIGINT);
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO deleted VALUES (txid_current()); RETURN NULL; END $$;
    CREATE TRIGGER note AFTER DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION note()`);
    const hash = table === "idempotency" ? "key_hash" : "challenge_hash";
    const held = database
      .query(`BEGIN; SELECT 1 FROM ${table} WHERE ${hash} = '${noon - 7}' FOR UPDATE; SELECT pg_sleep(60)`)
      .catch(() => "ended");
    await expect
      .poll(() => database.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
      .toHaveLength(1);
    expect(await forget(store)).toBe(25_000);
    expect(await database.query("SELECT count(DISTINCT at) AS transactions FROM deleted")).toEqual([
      { transactions: "3" },
    ]);
    expect(await database.query(`SELECT count(*) AS kept FROM ${table}`)).toEqual([{ kept: "6" }]);
    await endConnections(database);
    await held;
    expect(await forget(store)).toBe(1);
  },
);

test("failed mails are woken however many there are, and none that somebody holds is waited for", async () => {
  await using tested = await openPostgresUnderTest("test");
  const { store, database } = tested;
  await database.query(`
    INSERT INTO mail (id, kind, recipients, subject, text, html, headers, status, attempts, created_at)
    SELECT n::text, 'inquiry-notice', '["a@example.org"]', 's', 't', 'h', '{}', 'failed', 9, n FROM generate_series(1, 25000) AS n`);
  const held = database
    .query("BEGIN; SELECT 1 FROM mail WHERE id = '7' FOR UPDATE; SELECT pg_sleep(60)")
    .catch(() => "ended");
  await expect
    .poll(() => database.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
    .toHaveLength(1);
  expect(await store.retryMails("all-failed", noon)).toBe(24_999);
  const transactions = await database.query(
    `SELECT DISTINCT xmin::text FROM mail WHERE status = 'queued' AND due_at = ${noon}`,
  );
  expect(transactions).toHaveLength(3);
  await endConnections(database);
  await held;
  expect(await store.retryMails("all-failed", noon)).toBe(1);
});

test("windows of callers that are over are forgotten however many there are, and none that somebody holds is waited for", async () => {
  await using tested = await openPostgresUnderTest("test");
  const { database } = tested;
  const events: string[] = [];
  const told = { alone: () => void events.push("alone"), together: () => void events.push("together") };
  await using counts = openCallCounts(locate(database.url), told);
  await database.query(`INSERT INTO call_count SELECT n::text, 1, n FROM generate_series(1, 25006) AS n`);
  const held = database
    .query("BEGIN; SELECT 1 FROM call_count WHERE key = '7' FOR UPDATE; SELECT pg_sleep(60)")
    .catch(() => "ended");
  await expect
    .poll(() => database.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
    .toHaveLength(1);
  await counts?.forget(25_000);
  expect(await database.query("SELECT count(*) AS kept FROM call_count")).toEqual([{ kept: "7" }]);
  expect(events).toEqual([]);
  await endConnections(database);
  await held;
});

describe.concurrent("a transaction", () => {
  test.each(["40001", "40P01"])("a race that was lost (%s) is run again, and counted", async (code) => {
    await using tested = await openPostgresUnderTest("test");
    const { store, database } = tested;
    await trip(database, "once", `RAISE EXCEPTION 'lost' USING ERRCODE = '${code}'`);
    expect(await store.acceptInquiry(inquiry(1), [mail()], lease)).toMatchObject({ result: "accepted" });
    expect(store.commitCounts.busyTries).toBe(1);
  });

  test("a submission that PostgreSQL refuses fails alone, not its neighbours", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { store } = tested;
    const calls = Array.from({ length: 30 }, (_, n) =>
      ended(store.acceptInquiry(inquiry(n, n === 17 ? { name: "nul \0" } : {}), [mail()], lease)),
    );
    const answers = await Promise.all(calls);
    expect(answers[17]).toHaveProperty("error");
    expect(answers.filter((answer) => "result" in answer)).toHaveLength(29);
    expect(await counted(store)).toEqual({ inquiries: 29, mails: 29 });
  });

  test("a success is on stable storage, whatever the database's own setting is", async () => {
    await using tested = await openPostgresUnderTest("test");
    const { database } = tested;
    await database.set("SET synchronous_commit = off");
    await database.query("CREATE TABLE noted (how TEXT)");
    await trip(database, "always", "INSERT INTO noted VALUES (current_setting('synchronous_commit'))");
    await using store = await openStore(locate(database.url));
    await store.acceptInquiry(inquiry(1), [], lease);
    expect(await database.query("SHOW synchronous_commit")).toEqual([{ synchronous_commit: "off" }]);
    expect(await database.query("SELECT how FROM noted")).toEqual([{ how: "on" }]);
  });

  test("the server ends a transaction of a process that was stopped in it, so that its locks hold up nobody", async () => {
    await using tested = await openOverWire();
    const { wire, wired, store } = tested;
    wire.breakForGood = true;
    wire.next("silence");
    const stuck = ended(wired.acceptInquiry(inquiry(1), [mail()], lease, key));
    // Not `expect.poll`, which loses its test when a neighbour ends.
    await vi.waitFor(() => expect(wire.commits).toBe(1));
    // Waits for the key that the other transaction has taken, and gets it.
    const accepted = await ended(store.acceptInquiry(inquiry(1), [mail()], lease, key));
    const again = "result" in accepted ? accepted : await ended(store.acceptInquiry(inquiry(1), [mail()], lease, key));
    expect(again).toMatchObject({ result: { result: "accepted" } });
    expect(await stuck).toMatchObject({ refused: "unknown" });
  });
});

/** Ends all connections to a database but the one that asks. */
const endConnections = (database: PostgresDatabase) =>
  database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`);

/** Has something happen when an inquiry is inserted: always, or the first time only. A sequence outlives a rollback. */
async function trip(database: PostgresDatabase, when: "once" | "always", statement: string): Promise<void> {
  const body = when === "always" ? `${statement};` : `IF nextval('trips') = 1 THEN ${statement}; END IF;`;
  await database.query(`
    CREATE SEQUENCE trips;
    CREATE FUNCTION trip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NEW; END $$;
    CREATE TRIGGER trip BEFORE INSERT ON inquiry FOR EACH STATEMENT EXECUTE FUNCTION trip()`);
}
