// How the SQLite engine commits: shared, patient with other processes, never half, and never much at once.
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect } from "vitest";
import { systemClock } from "../../server/src/clock.ts";
import { SqliteConnection } from "../../server/src/storage/sqlite/connection.ts";
import { applyPending } from "../../server/src/storage/sqlite/migrate.ts";
import { makeSqliteStore } from "../../server/src/storage/sqlite/sqlite-store.ts";
import { type Store, StorageUnavailable } from "../../server/src/storage/store.ts";
import { openFolder } from "../support/folder.ts";
import { startChild } from "./children/child.ts";
import { accept, allMails, application, applications, inquiries, inquiry, offer } from "./records.ts";
import { sqliteTest as test } from "./sqlite-under-test.ts";

async function commitsOf(store: Store, work: () => Promise<unknown>): Promise<number> {
  const before = store.commitCounts.commits;
  await work();
  return store.commitCounts.commits - before;
}

describe("a commit", () => {
  test("of a single submission waits for no other", async ({ tested }) => {
    for (const number of [1, 2, 3]) {
      expect(await commitsOf(tested.store, () => accept(tested.store, inquiry(number)))).toBe(1);
    }
  });

  test("comes before the answer", async ({ tested }) => {
    const before = tested.store.commitCounts.commits;
    const committedWhenAnswered = accept(tested.store, inquiry(1)).then(() =>
      tested.raw((database) => database.prepare("SELECT * FROM submission").all()),
    );
    expect(tested.store.commitCounts.commits).toBe(before);
    expect(await committedWhenAnswered).toHaveLength(1);
  });
});

describe("another process that holds the write lock", () => {
  test("goes unnoticed when it lets go soon", async ({ tested }) => {
    // By this process: a child may come to let go only when submissions have been given up.
    using other = new DatabaseSync(tested.file);
    other.exec("BEGIN IMMEDIATE");
    const accepted = accept(tested.store, inquiry(1));
    while (tested.store.commitCounts.retries === 0) await nextTurn();
    other.exec("COMMIT");
    expect(await accepted).toMatchObject({ result: "accepted" });
    expect(await inquiries(tested.store)).toHaveLength(1);
  });

  test("makes submissions fail as unavailable, while the event loop goes on turning and reads are answered", async ({
    store,
    tested,
  }) => {
    await accept(store, application(1));
    await using child = startChild("hold-lock", tested.file);
    expect(await child.hear()).toBe("holding");
    let tries = 0;
    let turns = 0;
    // A busy machine may leave no time for several tries.
    while (tries <= 2) {
      const before = store.commitCounts.retries;
      turns = 0;
      const turning = setInterval(() => (turns += 1), 1);
      const refused = offer(store, inquiry(1), { deadline: performance.now() + 250 });
      await expect(refused).rejects.toMatchObject({ name: "StorageUnavailable", outcome: "not-stored" });
      clearInterval(turning);
      tries = store.commitCounts.retries - before;
    }
    // Between two tries at least one.
    expect(turns).toBeGreaterThanOrEqual(tries - 1);
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
    expect(await applications(store)).toHaveLength(1);
    expect(await store.mailBacklog()).toMatchObject({ queued: 2 });
    child.tell();
    await child.ended();
    expect(await inquiries(store)).toEqual([]);
    expect(await allMails(store)).toHaveLength(2);
    expect(await store.checkReadiness()).toEqual({ ready: true });
  });
});

describe("a full disk", () => {
  test("refuses all submissions at once with the cause, keeps what was stored, and recovers", async () => {
    await using folder = await openFolder();
    const connection = new SqliteConnection(`${folder.path}/full.db`);
    connection.configure();
    await applyPending(connection);
    await using store = makeSqliteStore(connection, { clock: systemClock });
    await accept(store, application(0));

    const [pages] = connection.query<{ page_count: number }>("PRAGMA page_count");
    connection.execute(`PRAGMA max_page_count = ${pages?.page_count}`);
    const long = { coverLetter: "x".repeat(20_000) };
    const refused = await Promise.allSettled([1, 2, 3].map((number) => offer(store, application(number, long))));
    for (const call of refused) {
      const reason: unknown = call.status === "rejected" ? call.reason : undefined;
      expect(reason).toBeInstanceOf(StorageUnavailable);
      expect(reason).toMatchObject({ cause: { errcode: 13 }, outcome: "not-stored" });
    }
    expect(await applications(store)).toHaveLength(1);

    connection.execute("PRAGMA max_page_count = 1000000");
    const [first, second] = [await accept(store, application(1, long)), await accept(store, application(2, long))];
    expect(first.reference).not.toBe(second.reference);
  });
});
