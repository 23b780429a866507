import { expect, test } from "vitest";
import { StorageUnavailable } from "../store.ts";
import { CommitQueue, type Transactions } from "./commit-queue.ts";

/** What node:sqlite throws. */
const sqliteError = (errcode: number) =>
  Object.assign(new Error(`errcode ${errcode}`), { code: "ERR_SQLITE_ERROR", errcode });

/** Writes down what is called, and fails where it is told to. */
function transactions(fail: Partial<Transactions> = {}) {
  const log: string[] = [];
  const step = (name: keyof Transactions) => () => {
    log.push(name);
    fail[name]?.();
  };
  return { log, begin: step("begin"), commit: step("commit"), rollback: step("rollback") };
}

const throwing = (error: unknown) => () => {
  throw error;
};

test("runs jobs that come together in one transaction, in their order", async () => {
  const recorded = transactions();
  const queue = new CommitQueue(recorded);
  const order: number[] = [];
  await Promise.all([1, 2, 3].map((n) => queue.run(() => order.push(n))));
  expect(order).toEqual([1, 2, 3]);
  expect(recorded.log).toEqual(["begin", "commit"]);
  expect(queue.counts).toEqual({ commits: 1, jobs: 3, busyTries: 0, waiting: 0 });
});

test("splits a burst, so that no transaction holds up the event loop for long", async () => {
  const queue = new CommitQueue(transactions());
  await Promise.all(Array.from({ length: 1_025 }, () => queue.run(() => 0)));
  expect(queue.counts).toMatchObject({ commits: 3, jobs: 1_025 });
});

test("lets only the job pay that threw, and runs the others again one by one", async () => {
  const recorded = transactions();
  const queue = new CommitQueue(recorded);
  const mistake = new TypeError("a mistake in this program");
  const settled = await Promise.allSettled([
    queue.run(() => "first"),
    queue.run(throwing(mistake)),
    queue.run(() => "third"),
  ]);
  expect(settled).toEqual([
    { status: "fulfilled", value: "first" },
    { status: "rejected", reason: mistake },
    { status: "fulfilled", value: "third" },
  ]);
  const [undone, done] = ["begin rollback", "begin commit"];
  expect(recorded.log.join(" ")).toBe([undone, done, undone, done].join(" "));
});

test.each([8, 10, 11, 13, 14, 26, 10 | (4 << 8)])(
  "refuses all jobs as unavailable, with the cause, when SQLite says %i",
  async (errcode) => {
    const error = sqliteError(errcode);
    const queue = new CommitQueue(transactions({ commit: throwing(error) }));
    for (const call of await Promise.allSettled([queue.run(() => 1), queue.run(() => 2)])) {
      const reason: unknown = call.status === "rejected" ? call.reason : undefined;
      expect(reason).toBeInstanceOf(StorageUnavailable);
      expect(reason).toMatchObject({ cause: error });
    }
    expect(queue.counts).toMatchObject({ commits: 0, jobs: 0 });
  },
);

test("refuses as unavailable what cannot be undone either", async () => {
  const fail = { commit: throwing(new Error("odd")), rollback: throwing(new Error("odder")) };
  const queue = new CommitQueue(transactions(fail));
  await expect(queue.run(() => 1)).rejects.toBeInstanceOf(StorageUnavailable);
});

test("tries again while the database is locked, and gives up in the end", async () => {
  let locked = 3;
  const begin = () => {
    if ((locked -= 1) >= 0) throw sqliteError(locked === 1 ? 517 : 5);
  };
  const queue = new CommitQueue(transactions({ begin }));
  expect(await queue.run(() => "stored")).toBe("stored");
  expect(queue.counts.busyTries).toBe(3);
  locked = Infinity;
  await expect(queue.run(() => "never", 20)).rejects.toBeInstanceOf(StorageUnavailable);
});

test("settles what waits before it is closed, and takes nothing more", async () => {
  const queue = new CommitQueue(transactions());
  const waiting = queue.run(() => "stored");
  const closed = queue.close();
  await expect(queue.run(() => "late")).rejects.toBeInstanceOf(StorageUnavailable);
  await closed;
  expect(queue.counts.jobs).toBe(1);
  expect(await waiting).toBe("stored");
});
