// How the SQLite engine commits: shared, patient with other processes, and never half.
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { SqliteConnection } from "../../server/src/storage/sqlite/connection.ts";
import { applyPending, sqliteMigrations } from "../../server/src/storage/sqlite/migrate.ts";
import { SqliteStore } from "../../server/src/storage/sqlite/sqlite-store.ts";
import { StorageUnavailable } from "../../server/src/storage/store.ts";
import { startChild } from "./children/child.ts";
import { application, collect, inquiry, lease, mail } from "./records.ts";
import { openFolder, openSqliteUnderTest } from "./sqlite-under-test.ts";

describe("group commit", () => {
  test("lets 64 submissions at once share a few commits", async () => {
    await using tested = await openSqliteUnderTest();
    const before = tested.store.commitCounts;
    const accepted = Array.from({ length: 64 }, (_, number) =>
      tested.store.acceptInquiry(inquiry(number), [mail(), mail()], lease),
    );
    expect((await Promise.all(accepted)).map(({ result }) => result)).toEqual(
      Array.from({ length: 64 }, () => "accepted"),
    );
    const { commits, jobs } = tested.store.commitCounts;
    expect(jobs - before.jobs).toBe(64);
    expect(commits - before.commits).toBeLessThanOrEqual(8);
  });

  test("lets a single submission wait for nobody", async () => {
    await using tested = await openSqliteUnderTest();
    const before = tested.store.commitCounts.commits;
    for (const number of [1, 2, 3]) await tested.store.acceptInquiry(inquiry(number), [], lease);
    expect(tested.store.commitCounts.commits - before).toBe(3);
  });

  test("answers no submission before its commit", async () => {
    await using tested = await openSqliteUnderTest();
    const before = tested.store.commitCounts.commits;
    const committedWhenAnswered = tested.store
      .acceptInquiry(inquiry(1), [], lease)
      .then(() => tested.raw((database) => database.prepare("SELECT * FROM inquiry").all()));
    expect(tested.store.commitCounts.commits).toBe(before);
    expect(await committedWhenAnswered).toHaveLength(1);
  });
});

describe("another process that holds the write lock", () => {
  test("goes unnoticed when it lets go soon", async () => {
    await using tested = await openSqliteUnderTest();
    await using child = startChild("hold-lock", tested.file);
    expect(await child.hear()).toBe("holding");
    const accepted = tested.store.acceptInquiry(inquiry(1), [mail()], lease);
    while (tested.store.commitCounts.busyTries === 0) await nextTurn();
    child.tell();
    expect(await accepted).toMatchObject({ result: "accepted" });
    expect(await collect(tested.store.exportInquiries(0))).toHaveLength(1);
  });

  test("makes submissions fail as unavailable, while the event loop goes on turning", async () => {
    await using tested = await openSqliteUnderTest();
    await using child = startChild("hold-lock", tested.file);
    await child.hear();
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 1);
    const refused = tested.store.acceptInquiry(inquiry(1), [mail()], lease);
    await expect(refused).rejects.toBeInstanceOf(StorageUnavailable);
    clearInterval(turning);
    // SQLite's own wait would have let it turn once or twice.
    expect(turns).toBeGreaterThan(20);
    expect(await tested.store.checkReadiness()).toMatchObject({ ready: false });
    child.tell();
    await child.ended();
    expect(await collect(tested.store.exportInquiries(0))).toEqual([]);
    expect(await tested.store.listMails({ limit: 1 })).toEqual([]);
    expect(await tested.store.checkReadiness()).toEqual({ ready: true });
  });

  test("does not keep anybody from reading", async () => {
    await using tested = await openSqliteUnderTest();
    await tested.store.acceptApplication(application(1), [], lease);
    await using child = startChild("hold-lock", tested.file);
    await child.hear();
    expect(await collect(tested.store.exportApplications(0))).toHaveLength(1);
    expect(await tested.store.mailBacklog()).toMatchObject({ queued: 0 });
  });
});

describe("a full disk", () => {
  test("refuses all submissions at once with the cause, keeps what was stored, and recovers", async () => {
    await using folder = await openFolder();
    const connection = new SqliteConnection(`${folder.path}/full.db`);
    connection.configure("read-write");
    await applyPending(connection, sqliteMigrations());
    await using store = new SqliteStore(connection);
    await store.acceptApplication(application(0), [], lease);

    const [pages] = connection.query<{ page_count: number }>("PRAGMA page_count");
    connection.execute(`PRAGMA max_page_count = ${pages?.page_count}`);
    const long = { coverLetter: "x".repeat(20_000) };
    const refused = await Promise.allSettled(
      [1, 2, 3].map((number) => store.acceptApplication(application(number, long), [], lease)),
    );
    for (const call of refused) {
      const reason: unknown = call.status === "rejected" ? call.reason : undefined;
      expect(reason).toBeInstanceOf(StorageUnavailable);
      expect(reason).toMatchObject({ cause: { errcode: 13 } });
    }
    expect(await collect(store.exportApplications(0))).toHaveLength(1);

    connection.execute("PRAGMA max_page_count = 1000000");
    expect(await store.acceptApplication(application(1, long), [], lease)).toMatchObject({ result: "accepted" });
  });
});
