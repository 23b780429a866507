// Several processes on one PostgreSQL database, each with a store of its own: what must hold for all of them together.
import { expect, vi } from "vitest";
import { wholeScope } from "../../server/src/storage/desk-store.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { CutWire } from "../support/cut-wire.ts";
import { createDatabase } from "../support/service-database.ts";
import { locate, openPostgresUnderTest, postgresTest as test } from "./postgres-under-test.ts";
import {
  accept,
  allMails,
  collectPages,
  eva,
  inquiries,
  inquiry,
  minute,
  noon,
  offer,
  sendAgain,
  settle,
  subscribers,
  subscription,
} from "./records.ts";

async function openStores(count: number) {
  const tested = await openPostgresUnderTest();
  const stores = [tested.store];
  while (stores.length < count) stores.push(await tested.openAgain());
  return Object.assign(tested, { stores, retries: () => stores.map(({ commitCounts }) => commitCounts.retries) });
}

const spread = <T>(stores: readonly Store[], times: number, work: (store: Store, n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, n) => work(stores[n % stores.length] as Store, n)));

test("a key and a challenge are taken once in batches that want many of them, in any order", async () => {
  await using tested = await openStores(3);
  const { stores, store } = tested;
  const keyOf = (n: number) => ({ procedure: "p", keyHash: `k${n}`, fingerprint: "f", createdAt: noon });
  // Each process wants the same forty, in an order of its own; every other one wants a challenge as well.
  const answers = await spread(stores, 120, (one, n) => {
    const which = (Math.floor(n / 3) * (2 * (n % 3) + 1)) % 40;
    const challenge = which % 2 === 0 ? { hash: `c${which}`, expiresAt: noon + minute } : null;
    return offer(one, which % 5 === 0 ? subscription({ email: `r${which}@example.org` }) : inquiry(n), {
      key: keyOf(which),
      challenge,
    });
  });
  const results = Map.groupBy(answers, ({ result }) => result);
  expect([results.get("accepted")?.length, results.get("repeated")?.length]).toEqual([40, 80]);
  expect(await inquiries(store)).toHaveLength(32);
  expect(await subscribers(store)).toHaveLength(8);
  expect(await allMails(store)).toHaveLength(2 * 32 + 8);
});

test("what changes an address waits for its lock and never deadlocks", async () => {
  await using tested = await openStores(4);
  const { stores, store } = tested;
  const emails = Array.from({ length: 12 }, (_, n) => `p${n}@example.org`);
  const asked = emails.map((email) => subscription({ email }));
  await Promise.all(asked.map((one) => accept(store, one)));
  const change = async (one: Store, n: number): Promise<unknown> => {
    const who = asked[(n * 5) % asked.length];
    const email = who?.email ?? "";
    const link = (tokenHash: string | undefined) => ({ tokenHash: tokenHash ?? "", at: noon + n });
    switch (n % 6) {
      case 0:
        return one.followLink("confirm", link(who?.confirm.hash));
      case 1:
        return one.followLink("unsubscribe", link(who?.unsubscribe.hash));
      case 2:
        return one.suppress({ email, reason: n % 4 === 0 ? "inactive" : "bounced", at: noon + n });
      case 3:
        return accept(one, subscription({ email, receivedAt: noon + n }));
      case 4:
        return accept(one, inquiry(n, { email }));
      default:
        return one.suppress({ email, reason: null, at: noon + n });
    }
  };
  // On a busy machine the last of all at once would wait for a connection for too long.
  for (let begun = 0; begun < 240; begun += 60) await spread(stores, 60, (one, n) => change(one, begun + n));
  expect(tested.retries()).toEqual([0, 0, 0, 0]);
  expect(await subscribers(store)).toHaveLength(12);
});

test("a read is one round trip, and so is the proof that a write is possible", async ({ database }) => {
  await using wire = await CutWire.open(database.url);
  await using store = await openStore(locate(wire.url));
  const key = { procedure: "p", keyHash: "k", fingerprint: "f", createdAt: noon };
  await accept(store, inquiry(1), { key });
  wire.holdsAnswers = true;
  expect(await store.findEarlier(key)).toMatchObject({ fingerprint: "f" });
  expect(await store.checkReadiness()).toEqual({ ready: true });
});

test("a mail that is sent again while its submission is being erased is erased with it", async () => {
  await using tested = await openStores(2);
  const { store, database } = tested;
  const { mails } = await accept(store, inquiry(1, { email: "eva@example.org" }));
  await settle(store, { sent: mails });
  await using held = await database.connect();
  await using observer = await database.connect();
  const waiting = async (count: number) => {
    const query = `SELECT count(*)::integer AS n FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await vi.waitUntil(async () => (await observer.query(query))[0]?.["n"] === count, { timeout: 10_000 });
  };
  // The mail is stored, and its entry in the audit log waits.
  await held.query("BEGIN; LOCK TABLE audit IN EXCLUSIVE MODE");
  const again = sendAgain(store, wholeScope, mails[0]?.id ?? "", eva);
  await waiting(1);
  const erased = tested.stores[1]?.desk.erasePerson("eva@example.org", eva);
  await waiting(2);
  await held.query("COMMIT");
  expect(await again).toBe("due");
  expect(await erased).toMatchObject({ submissions: 1 });
  expect(await allMails(store)).toEqual([]);
});

test("a submission that is erased while it is made searchable is left out alone", async ({ store, database }) => {
  for (const n of [1, 2]) await accept(store, inquiry(n));
  await using held = await database.connect();
  await using erasing = await database.connect();
  const waitingFor = async (lock: string) => {
    const query = `SELECT 1 FROM pg_stat_activity WHERE wait_event = '${lock}' AND datname = current_database()`;
    await vi.waitUntil(async () => (await database.query(query)).length === 1, { timeout: 10_000 });
  };
  // Indexing waits for transactions that began before it. The erasure begins after it.
  await held.query("BEGIN; LOCK TABLE search_progress IN EXCLUSIVE MODE");
  const indexed = store.desk.indexNext(10, () => false);
  await waitingFor("relation");
  await erasing.query("BEGIN; DELETE FROM submission WHERE arrival = 1");
  await held.query("COMMIT");
  await waitingFor("transactionid");
  await erasing.query("COMMIT");
  expect((await indexed).indexed).toBe(2);
  expect(await database.query("SELECT arrival::integer FROM submission_search")).toEqual([{ arrival: 2 }]);
});

test("a process whose own clock is wrong follows the server's, as all others do", async ({ store, database }) => {
  const right = Date.now.bind(Date);
  const wrong = vi.spyOn(Date, "now").mockImplementation(() => right() + 10 * minute);
  try {
    await using other = await openStore(locate(database.url));
    // Two minutes: whatever a loaded machine takes, and far less than what the clock is off by.
    expect(Math.abs(other.clock.now() - right())).toBeLessThan(2 * minute);
    expect(Math.abs(Date.now() - right())).toBeGreaterThan(9 * minute);
  } finally {
    wrong.mockRestore();
  }
  expect(Math.abs(store.clock.now() - Date.now())).toBeLessThan(2 * minute);
});

test.for([10, -10])(
  "a process whose own clock is set by %d minutes takes no lease, and loses none, as if it had not been",
  async (minutes, { store, tested }) => {
    const other = await tested.openAgain();
    const leaseOf = (owner: string, { clock }: Store) => ({ owner, until: clock.now() + minute });
    await accept(other, inquiry(1), { lease: leaseOf("other", other) });
    const right = Date.now.bind(Date);
    const set = vi.spyOn(Date, "now").mockImplementation(() => right() + minutes * minute);
    try {
      expect(await store.mails.claim(store.clock.now(), 10, leaseOf("this", store))).toEqual([]);
      await accept(store, inquiry(2), { lease: leaseOf("this", store) });
    } finally {
      set.mockRestore();
    }
    expect(await other.mails.claim(other.clock.now(), 10, leaseOf("other", other))).toEqual([]);
  },
);

test("a server that fails to tell its time, for whatever reason, ends no process, and the clock goes on", async () => {
  await using tested = await openStores(1);
  const { store, database } = tested;
  // Its SQLSTATE means nothing to the service. A sequence counts what is undone, too.
  await database.query(`
    CREATE SEQUENCE asked;
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('asked'); RAISE 'told to fail'; END $$`);
  await database.set("SET search_path = public, pg_catalog");
  await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  const asked = async () => Number((await database.query("SELECT last_value FROM asked"))[0]?.["last_value"]);
  const right = Date.now.bind(Date);
  const set = vi.spyOn(Date, "now").mockImplementation(() => right() + 10 * minute);
  try {
    // It is asked again once the failure was dealt with. One that was not would fail the run.
    while ((await asked()) < 2) store.clock.now();
    expect(Math.abs(store.clock.now() - right())).toBeLessThan(2 * minute);
  } finally {
    set.mockRestore();
  }
});

/** What a transaction stores that is given its number before another one, and commits after it. */
const beginLate = `BEGIN; INSERT INTO submission
  (kind, day_number, reference, received_at, name, email, email_key, status, door, request_id, fields)
  SELECT kind, 0, 'late', received_at, name, email, email_key, status, door, request_id, fields FROM submission`;

const noteExport = (store: Store, n: number) =>
  store.desk.audit({ action: "export", subject: `${n}` }, { operator: "eve@example.org", at: noon });

/** Many more round trips than a reader needs that waits for nothing; more of them until it is done. */
async function letRead(store: Store, isDone: () => boolean = () => true) {
  for (let n = 0; n < 50 || (n < 1_000 && !isDone()); n += 1)
    await store.findEarlier({ procedure: "p", keyHash: "k", fingerprint: "f", createdAt: 0 });
}

test.for<[string, (store: Store, n: number) => Promise<unknown>, string, (store: Store) => Promise<unknown[]>]>([
  [
    "submission",
    (store, n) => accept(store, inquiry(n)),
    beginLate,
    async (store) => (await inquiries(store)).map(({ arrival }) => arrival),
  ],
  [
    "entry of the audit log",
    noteExport,
    "BEGIN; INSERT INTO audit (at, operator, action, subject, detail) VALUES (0, 'eve', 'late', '2', '{}')",
    async (store) => (await collectPages(store.readAll("audit", {}))).map(({ subject }) => Number(subject)),
  ],
])("a reader misses no %s committed after a later one", async ([_what, add, begin, readAll], { store, database }) => {
  await add(store, 1);
  await using late = await database.connect();
  await late.query(begin);
  await add(store, 3);
  let isDone = false;
  const read = readAll(store).finally(() => (isDone = true));
  await letRead(store);
  expect(isDone).toBe(false);
  await late.query("COMMIT");
  expect(await read).toEqual([1, 2, 3]);
});

test("the words of a process of the release before are replaced, and it leaves those of this one", async ({
  store,
  database,
}) => {
  const named = (number: number) => accept(store, inquiry(number, { name: "山田太郎" }));
  // As that release makes submissions searchable.
  const words = `array_to_tsvector(ARRAY ['山田太郎'])`;
  const indexAsBefore = () =>
    database.query(`
      INSERT INTO submission_search SELECT arrival, ${words}, ${words} FROM submission
        WHERE arrival > (SELECT indexed_to FROM search_progress) ON CONFLICT (arrival) DO NOTHING;
      UPDATE search_progress SET indexed_to = (SELECT max(arrival) FROM submission)`);
  const found = async () =>
    (await store.desk.listSubmissions(wholeScope, { search: "太郎" }, {})).rows.map(({ arrival }) => arrival);
  for (const number of [1, 2]) await named(number);
  await indexAsBefore();
  expect(await found()).toEqual([]);
  while ((await store.desk.indexNext(10, () => false)).more);
  expect(await found()).toEqual([2, 1]);
  await named(3);
  while ((await store.desk.indexNext(10, () => false)).more);
  await indexAsBefore();
  expect(await found()).toEqual([3, 2, 1]);
});

test("a reader waits for no transaction that writes to another database or table", async ({ store, database }) => {
  await using elsewhere = await createDatabase();
  await accept(store, inquiry(1));
  await using stranger = await elsewhere.connect();
  await using neighbour = await database.connect();
  await stranger.query("BEGIN; UPDATE submission SET version = version; SELECT pg_current_xact_id()");
  await neighbour.query("BEGIN; UPDATE mail SET attempts = attempts");
  let isDone = false;
  const indexed = store.desk.indexNext(10, () => false);
  const read = Promise.all([indexed, inquiries(store)]).finally(() => (isDone = true));
  await letRead(store, () => isDone);
  expect(isDone).toBe(true);
  expect(await read).toMatchObject([{ indexed: 1 }, [{ arrival: 1 }]]);
});

test("nothing is read behind a transaction that stays open", async ({ store, database }) => {
  await accept(store, inquiry(1));
  await using late = await database.connect();
  await late.query(`SET application_name = 'a stranger'; ${beginLate}`);
  await accept(store, inquiry(2));
  const refused = { name: "StorageUnavailable", message: expect.stringContaining("(a stranger)") };
  const [read, indexed] = await Promise.allSettled([inquiries(store), store.desk.indexNext(10, () => false)]);
  expect([read, indexed]).toMatchObject([{ reason: refused }, { reason: refused }]);
  await late.query("COMMIT");
  expect(await inquiries(store)).toHaveLength(3);
  expect((await store.desk.indexNext(10, () => false)).indexed).toBe(3);
});
