// When the server, or the way to it, fails: nothing acknowledged is lost, and nothing is stored twice.
import { Client, type QueryConfig } from "pg";
import { describe, expect, vi } from "vitest";
import { listMails } from "../../server/src/desk/mails.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { lockAndDraw } from "../../server/src/storage/postgres/accept.ts";
import { prepared } from "../../server/src/storage/postgres/statement.ts";
import { proveWrite } from "../../server/src/storage/postgres/postgres-store.ts";
import { confirmText, suppressText } from "../../server/src/storage/sql/addresses.ts";
import type { SubscriptionRecord } from "../../server/src/storage/records.ts";
import { type Entry, type Store, StorageUnavailable } from "../../server/src/storage/store.ts";
import { CutWire } from "../support/cut-wire.ts";
import type { PostgresDatabase } from "../support/postgres-server.ts";
import { shared } from "../support/shared.ts";
import { createDatabase } from "../support/service-database.ts";
import { locate, postgresTest, startOwnServer } from "./postgres-under-test.ts";
import {
  accept,
  acceptMails,
  acceptReference,
  allMails,
  application,
  applications,
  inquiries,
  inquiry,
  lease,
  minute,
  noon,
  offer,
  settle,
  subscribers,
  subscription,
  triage,
} from "./records.ts";
import { atNight, nightly, someOf } from "../support/many-or-few.ts";

const key = { procedure: "marketplace.inquiry", keyHash: "a".repeat(64), fingerprint: "b".repeat(64), createdAt: noon };
const challenge = { hash: "c".repeat(64), expiresAt: noon + minute };

const ended = (call: Promise<unknown>) =>
  call.then(
    (result) => ({ result }),
    (error: unknown) =>
      error instanceof StorageUnavailable ? { refused: error.outcome, why: error.message } : { error },
  );

const soon = () => performance.now() + 1_000;

const saying = (words: string) => expect.stringContaining(words) as string;

const counted = async (store: Store) => ({
  inquiries: (await inquiries(store)).length,
  mails: (await allMails(store)).length,
});

/** `wired` is a store whose connections go through a wire that can be cut; those of `store` do not. */
const test = postgresTest
  .extend("wire", async ({ database, onTestFinished }) => {
    const wire = await CutWire.open(database.url);
    onTestFinished(() => wire[Symbol.asyncDispose]());
    // Of the store's transactions only those that store submissions are cut: this is their first statement.
    wire.only = lockAndDraw.name;
    return wire;
  })
  .extend("wired", async ({ wire, onTestFinished }) => {
    const wired = await openStore(locate(wire.url));
    onTestFinished(() => wired[Symbol.asyncDispose]());
    return wired;
  });

const server = shared(startOwnServer);

test("a server that is restarted refuses for as long as that takes, and then everything goes on", async () => {
  await using database = await server().create();
  await using store = await openStore(locate(database.url));
  await accept(store, inquiry(1));
  await server().stop();
  expect(await ended(offer(store, inquiry(2)))).toMatchObject({ refused: "not-stored" });
  expect(await store.checkReadiness()).toMatchObject({ ready: false });
  await expect(openStore(locate(database.url))).rejects.toBeInstanceOf(StorageUnavailable);
  await server().start();
  expect(await store.checkReadiness()).toEqual({ ready: true });
  expect(await offer(store, inquiry(2))).toMatchObject({ result: "accepted" });
  expect(await counted(store)).toMatchObject({ inquiries: 2 });
});

nightly("commits that wait for a standby leave no more connections behind than there may be", async () => {
  await using database = await server().create();
  await using store = await openStore(locate(database.url));
  await accept(store, inquiry(0));
  const wait = (standby: string) =>
    database.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`).then(() => reload());
  const reload = () => database.query("SELECT pg_reload_conf()");
  await wait("away");
  // Of subscriptions none waits for a lock of another one.
  const offered = (n: number, deadline: number) =>
    ended(offer(store, subscription({ email: `r${n}@example.org` }), { deadline }));
  // The server reads its settings anew in its own time.
  while ("result" in (await offered(1, soon())));
  for (let n = 2; n <= 14; n += 1) {
    const answer = await offered(n, performance.now() + 200);
    expect(["not-stored", "unknown"]).toContain("refused" in answer ? answer.refused : answer);
  }
  const open = await database.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'submissions'");
  // Before anything can fail: while commits wait, nothing can be closed.
  await wait("");
  expect(open.length).toBeLessThanOrEqual(8);
  await expect.poll(() => ended(offer(store, inquiry(20)))).toMatchObject({ result: { result: "accepted" } });
});

describe.concurrent("a COMMIT whose answer is lost", () => {
  test.for([
    ["lost", "without a key", null],
    ["answer lost", "with a key", key],
  ] as const)("is found out (%s) %s, and stored once", async ([mishap, _which, used], { wire, wired, store }) => {
    wire.next(mishap);
    const accepted = await accept(wired, inquiry(1), { key: used });
    expect(await inquiries(store)).toMatchObject([{ reference: accepted.reference }]);
    expect((await allMails(store)).map(({ id }) => id).toSorted()).toEqual(
      accepted.mails.map(({ id }) => id).toSorted(),
    );
    expect(wire.commits).toBeGreaterThan(0);
    // What was found out is what the transaction would have answered.
    expect(accepted.mails.map(({ kind }) => kind)).toEqual(["inquiry-receipt", "inquiry-notice"]);
    expect(accepted.mails[0]).toMatchObject({ leasedUntil: lease.until, about: { submission: { status: "new" } } });
  });

  test.for(["lost", "answer lost"] as const)("is found out for all (%s)", async (mishap, { wire, wired, store }) => {
    const [earlier] = await acceptMails(store, inquiry(0));
    wire.next(mishap);
    const [answers] = await Promise.all([
      Promise.all([...[1, 2, 3].map((number) => offer(wired, inquiry(number))), offer(wired, application(1))]),
      settle(wired, { sent: [earlier] }),
    ]);
    expect(answers.map(({ result }) => result)).toEqual(Array(4).fill("accepted"));
    expect(await counted(store)).toEqual({ inquiries: 4, mails: 10 });
    expect(await applications(store)).toHaveLength(1);
    expect(await listMails(store.desk, { status: "sent", limit: 10 })).toHaveLength(1);
  });

  test.for<[string, Entry["submission"], Partial<Entry>]>([
    ["a submission without mails", inquiry(1), { spam: true }],
    ["an application", application(1), {}],
    ["spam of which only the key is kept", subscription(), { spam: true, key }],
    ["spam of which only the challenge is kept", subscription(), { spam: true, challenge }],
  ])("is found out for %s", async ([_what, submission, more], { wire, wired, store }) => {
    wire.next("answer lost");
    expect(await offer(wired, submission, more)).toMatchObject({ result: "accepted" });
    const again = submission.kind === "subscription" ? await offer(store, submission, more) : { result: "repeated" };
    expect(["repeated", "challenge-spent"]).toContain(again.result);
    expect((await inquiries(store)).length + (await applications(store)).length).toBe(
      submission.kind === "subscription" ? 0 : 1,
    );
  });

  test.for([
    ["lost", "new"],
    ["answer lost", "known"],
  ] as const)("is found out (%s) for a %s subscriber", async ([mishap, which], { wire, wired, store }) => {
    if (which === "known") await accept(store, subscription());
    wire.next(mishap);
    const record: SubscriptionRecord = subscription({ receivedAt: noon + 1 });
    const accepted = await accept(wired, record);
    expect(accepted.mails).toHaveLength(which === "new" ? 1 : 0);
    expect(await subscribers(store)).toHaveLength(1);
    expect(await allMails(store)).toHaveLength(1);
    expect(wire.commits).toBeGreaterThan(0);
  });

  test("is not stored once the server has given up a silent transaction", async ({ wire, wired, tested }) => {
    wire.next("silence");
    expect(await ended(offer(wired, inquiry(1)))).toMatchObject({ refused: "not-stored" });
    expect(await counted(tested.store)).toEqual({ inquiries: 0, mails: 0 });
  });

  // By day the first, which could be stored twice.
  const mishaps = [
    ["answer lost", 1],
    ["lost", 0],
  ] as const;
  test.for(someOf(mishaps))(
    "is unknown when none can be asked (%s, stored %i)",
    async ([mishap, stored], { wire, wired, store }) => {
      wire.breakForGood = true;
      wire.next(mishap);
      expect(await ended(offer(wired, inquiry(1), { key }))).toMatchObject({ refused: "unknown" });
      expect(await counted(store)).toEqual({ inquiries: stored, mails: 2 * stored });
      wire.mend();
      // A caller that tries again with the same key learns it.
      const again = await offer(wired, inquiry(2), { key });
      expect(again.result).toBe(stored === 1 ? "repeated" : "accepted");
    },
  );

  test("is waited for less long by a caller that soon stops waiting", async ({ wire, wired }) => {
    await using other = await openStore(locate(wire.url));
    wire.next("silence", "silence");
    const [long, short] = [ended(offer(wired, inquiry(1))), ended(offer(other, inquiry(2), { deadline: soon() }))];
    expect(await Promise.race([long.then(() => "long"), short.then(() => "short")])).toBe("short");
    expect(await short).toHaveProperty("refused");
    await long;
  });

  test("is called unknown for what leaves no trace of its own", async ({ wire, wired }) => {
    wire.only = prepared(suppressText).name;
    wire.next("answer lost");
    const change = { email: "ann@example.org", reason: "bounced", at: noon } as const;
    expect(await ended(wired.suppress(change))).toMatchObject({ refused: "unknown" });
    expect(await wired.suppress(change)).toBe(false);
  });

  test("of what may be done twice is done again", async ({ wire, wired, store }) => {
    const record = subscription();
    await accept(store, record);
    wire.only = prepared(confirmText).name;
    wire.next("answer lost");
    expect(await wired.followLink("confirm", { tokenHash: record.confirm.hash, at: noon + 1 })).toBe(true);
    expect(await subscribers(store)).toMatchObject([{ status: "active", confirmedAt: noon + 1 }]);
  });
});

describe.concurrent("a connection that the server ends", () => {
  test("while it is idle is replaced without any caller noticing", async ({ store, database }) => {
    for (const number of [1, 2, 3]) {
      await accept(store, inquiry(number));
      await endConnections(database);
    }
    expect(await counted(store)).toMatchObject({ inquiries: 3 });
  });
});

describe.concurrent("a server that", () => {
  test("became read-only is unavailable until it is writable, or another is", async () => {
    await using database = await createDatabase();
    await using store = await openStore(locate(database.url));
    await database.set("SET default_transaction_read_only = on");
    await endConnections(database);
    expect(await ended(offer(store, inquiry(1)))).toMatchObject({ refused: "not-stored", why: saying("25006") });
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
    await database.set("RESET default_transaction_read_only");
    expect(await store.checkReadiness()).toEqual({ ready: true });
    expect(await offer(store, inquiry(1))).toMatchObject({ result: "accepted" });
  });

  test.for([
    ["has a full disk", "53100"],
    ["is out of memory", "53200"],
    ["cannot read its disk", "58030"],
  ] as const)("%s is unavailable, and nothing is stored", async ([_why, code], { tested, database }) => {
    const store = await tested.openAgain();
    await using _trip = await trip(database, "always", `RAISE EXCEPTION 'no' USING ERRCODE = '${code}'`);
    const refused = { refused: "not-stored", why: saying(code) };
    expect(await Promise.all([1, 2].map((number) => ended(offer(store, inquiry(number)))))).toEqual([refused, refused]);
    expect(await counted(store)).toEqual({ inquiries: 0, mails: 0 });
  });

  test("has a full disk is not ready, though its log has room", async ({ tested, database }) => {
    const store = await tested.openAgain();
    await using _trip = await trip(database, "always", "RAISE EXCEPTION 'no' USING ERRCODE = '53100'");
    expect(await store.checkReadiness()).toEqual({ ready: true });
    await ended(offer(store, inquiry(1)));
    expect(await store.checkReadiness()).toEqual({ ready: false, reason: saying("53100") });
  });

  test("takes too long over a statement is not waited for", async ({ store, database }) => {
    await using _trip = await trip(database, "always", "PERFORM pg_sleep(60)");
    expect(await ended(offer(store, inquiry(1)))).toMatchObject({ refused: "not-stored", why: saying("57014") });
  });

  test("holds a lock on a table is not waited for, and readiness says so sooner", async ({ store, database }) => {
    await using held = await hold(database, "LOCK TABLE submission");
    const refused = ended(offer(store, inquiry(1)));
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
    expect(await refused).toMatchObject({ refused: "not-stored", why: saying("55P03") });
    await held.end();
    expect(await offer(store, inquiry(1))).toMatchObject({ result: "accepted" });
  });

  test("holds up reads gives them up by itself, so that none piles up there", async ({ store, database }) => {
    await using held = await hold(database, "LOCK TABLE idempotency");
    const reads = Array.from({ length: 4 }, () => ended(store.findEarlier(key)));
    for (const read of await Promise.all(reads)) expect(read).toMatchObject({ refused: "not-stored" });
    const waiting = () =>
      database.query("SELECT 1 FROM pg_locks WHERE relation = 'idempotency'::regclass AND NOT granted");
    await vi.waitFor(async () => expect(await waiting()).toEqual([]), { timeout: minute });
    await held.end();
    expect(await store.findEarlier(key)).toBeNull();
  });

  test("has no connection left is unavailable", async ({ database }) => {
    // Roles belong to the server, which outlives a run if it is a given one.
    const role = `${database.name}_crowded`;
    await database.query(`
      CREATE ROLE ${role} LOGIN PASSWORD 'secret' CONNECTION LIMIT 0;
      GRANT USAGE ON SCHEMA public TO ${role}`);
    const url = new URL(database.url);
    url.username = role;
    expect(await ended(openStore(locate(url.href)))).toMatchObject({ refused: "not-stored", why: saying("53300") });
    url.password = "wrong";
    const wrong = await ended(openStore(locate(url.href)));
    expect(wrong).toMatchObject({ why: saying("28P01") });
    expect(JSON.stringify(wrong)).not.toContain(role);
    // A server refuses a connection without TLS in the same way.
    url.password = "secret";
    await database.query(`ALTER ROLE ${role} NOLOGIN CONNECTION LIMIT -1`);
    expect(await ended(openStore(locate(url.href)))).toMatchObject({ why: saying("pg_hba.conf") });
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});

describe.concurrent("a transaction", () => {
  test.for([
    ["that lost a race", "RAISE EXCEPTION 'lost' USING ERRCODE = '40001'"],
    ["that was in a deadlock", "RAISE EXCEPTION 'lost' USING ERRCODE = '40P01'"],
    ["whose connection the server ends", "PERFORM pg_terminate_backend(pg_backend_pid())"],
  ] as const)("%s leaves nothing and runs again, counted", async ([_what, statement], { tested, database }) => {
    const store = await tested.openAgain();
    await using _trip = await trip(database, "once", statement);
    expect(await offer(store, inquiry(1))).toMatchObject({ result: "accepted" });
    expect(await counted(store)).toEqual({ inquiries: 1, mails: 2 });
    expect(store.commitCounts.retries).toBe(1);
  });

  test("with a value that PostgreSQL refuses fails for that submission alone", async ({ store }) => {
    const calls = Array.from({ length: 30 }, (_, n) =>
      ended(offer(store, inquiry(n, n === 17 ? { name: "nul \0" } : {}))),
    );
    const answers = await Promise.all(calls);
    expect(answers[17]).toHaveProperty("error");
    expect(answers.filter((answer) => "result" in answer)).toHaveLength(29);
    expect(await counted(store)).toEqual({ inquiries: 29, mails: 58 });
  });

  test.runIf(atNight)(
    "of a process that was stopped in it is ended by the server, with its locks",
    async ({ wire, wired, store }) => {
      wire.breakForGood = true;
      wire.next("silence");
      const stuck = ended(offer(wired, inquiry(1), { key }));
      // Not `expect.poll`, which loses its test when a neighbour ends.
      await vi.waitFor(() => expect(wire.commits).toBe(1), { timeout: minute });
      // Waits for the key that the other transaction has taken, and gets it.
      const accepted = await ended(offer(store, inquiry(1), { key }));
      const again = "result" in accepted ? accepted : await ended(offer(store, inquiry(1), { key }));
      expect(again).toMatchObject({ result: { result: "accepted" } });
      expect(await stuck).toMatchObject({ refused: "unknown" });
    },
  );
});

describe.concurrent("what another transaction locks", () => {
  test("refuses only the subscription of that address, and holds up no other", async ({ tested, database }) => {
    const store = await tested.openAgain();
    await using _held = await hold(database, "SELECT pg_advisory_xact_lock(hashtextextended('r7@example.org', 0))");
    const calls = Array.from({ length: 40 }, (_, n) =>
      ended(offer(store, subscription({ email: `r${n}@example.org` }))),
    );
    const others = await Promise.all(calls.filter((_, n) => n !== 7));
    expect(others).toEqual(others.map(() => ({ result: expect.objectContaining({ result: "accepted" }) as object })));
    expect(store.commitCounts.commits).toBeLessThan(8);
    expect(await calls[7]).toMatchObject({ refused: "not-stored", why: saying("55P03") });
    expect(await subscribers(store)).toHaveLength(39);
  });

  test("refuses the settlement of a mail, and nothing else waits for it", async ({ store, database }) => {
    const mails = await acceptMails(store, inquiry(0));
    const [locked, free] = mails;
    const held = await hold(database, `SELECT FROM mail WHERE id = ${Number.parseInt(locked.id, 10)} FOR UPDATE`);
    let isRefused = false;
    const settled = ended(settle(store, { sent: mails })).finally(() => (isRefused = true));
    const answers = await Promise.all([1, 2, 3].map((number) => offer(store, inquiry(number))));
    expect(answers).toMatchObject([1, 2, 3].map(() => ({ result: "accepted" })));
    const statusOf = async (mail: { id: string }) => (await allMails(store)).find(({ id }) => id === mail.id)?.status;
    expect([await statusOf(free), isRefused]).toEqual(["sent", false]);
    expect(await settled).toMatchObject({ refused: "not-stored", why: saying("55P03") });
    await held.end();
    await settle(store, { sent: mails });
    expect(await statusOf(locked)).toBe("sent");
  });
});

test("statements that were sent behind a taken lock are prepared the next time", async ({ tested, database }) => {
  const store = await tested.openAgain();
  const references = [1, 2].map((number) => acceptReference(store, inquiry(number), { spam: true }));
  const spam = await Promise.all(references);
  const release = () => ended(triage(store, spam, 1, { status: "new" }));
  const held = await hold(database, "SELECT pg_advisory_xact_lock(hashtextextended(email_key, 0)) FROM submission");
  expect(await release()).toMatchObject({ refused: "not-stored", why: saying("55P03") });
  await held.end();
  const query = vi.spyOn(Client.prototype, "query");
  expect(await release()).toMatchObject({ result: [{ result: "changed" }, { result: "changed" }] });
  const configs = query.mock.calls.map(([config]) => config as unknown as QueryConfig);
  query.mockRestore();
  expect(configs.filter(({ values, name }) => values !== undefined && name === undefined)).toEqual([]);
});

test("a process that is stopped while it is asked makes no other unready", async ({ wire, wired, store }) => {
  wire.only = proveWrite.name;
  wire.next("silence");
  const stopped = wired.checkReadiness();
  await vi.waitFor(() => expect(wire.commits).toBe(1), { timeout: minute });
  const others = await Promise.all(Array.from({ length: 30 }, () => store.checkReadiness()));
  expect(others.filter(({ ready }) => !ready)).toEqual([]);
  expect(await stopped).toMatchObject({ ready: false });
});

/** Ends all connections to a database but the one that asks. */
const endConnections = (database: PostgresDatabase) =>
  database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`);

/** Holds the locks of a statement until it is ended or disposed of. */
async function hold(database: PostgresDatabase, statement: string) {
  const session = await database.connect();
  await session.query(`BEGIN; ${statement}`);
  const end = () => session[Symbol.asyncDispose]();
  return { end, [Symbol.asyncDispose]: end };
}

/** Makes something happen when submissions are inserted: always, or the first time only. A sequence outlives a rollback. */
async function trip(database: PostgresDatabase, when: "once" | "always", statement: string) {
  const body = when === "always" ? `${statement};` : `IF nextval('trips') = 1 THEN ${statement}; END IF;`;
  await database.query(`
    CREATE SEQUENCE trips;
    CREATE FUNCTION trip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NEW; END $$;
    CREATE TRIGGER trip BEFORE INSERT ON submission FOR EACH STATEMENT EXECUTE FUNCTION trip()`);
  const remove = async () => void (await database.query("DROP FUNCTION trip CASCADE; DROP SEQUENCE trips"));
  return { [Symbol.asyncDispose]: remove };
}
