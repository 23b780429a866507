import { expect, test } from "vitest";
import { StorageUnavailable } from "../store.ts";
import { CommitQueue } from "./commit-queue.ts";

/** A queue whose transactions end when the test says so. Jobs are words; those that begin alike want the same. */
function queueOf(atOnce: number, fail: (jobs: readonly string[]) => unknown = () => undefined) {
  const batches: string[][] = [];
  const held: (() => void)[] = [];
  const queue = new CommitQueue<string, string>({
    atOnce,
    contendedBy: (job) => [job.slice(0, 1)],
    async commit(jobs) {
      batches.push([...jobs]);
      await new Promise<void>((resolve) => held.push(resolve));
      const failure = fail(jobs);
      if (failure !== undefined) throw failure;
      return jobs.map((job) => job.toUpperCase());
    },
  });
  /** Ends all transactions under way, and those that follow, until nothing is left. */
  const drain = async () => {
    while (held.length > 0 || queue.counts.waiting > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const end of held.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { queue, batches, drain };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("jobs that come together, or while all transactions are under way, share one", async () => {
  const { queue, batches, drain } = queueOf(1);
  const first = ["a", "b"].map((job) => queue.run(job));
  await nextTurn();
  const second = ["c", "d", "e"].map((job) => queue.run(job));
  await drain();
  expect(await Promise.all([...first, ...second])).toEqual(["A", "B", "C", "D", "E"]);
  expect(batches).toEqual([
    ["a", "b"],
    ["c", "d", "e"],
  ]);
  expect(queue.counts).toEqual({ commits: 2, jobs: 5, waiting: 0 });
});

test("never has more transactions under way than it may", async () => {
  const { queue, batches, drain } = queueOf(2);
  const all = ["a", "b", "c"].map(async (job) => {
    await nextTurn();
    return queue.run(job);
  });
  for (const job of ["d", "e", "f"]) {
    all.push(queue.run(job));
    await nextTurn();
  }
  expect(batches).toHaveLength(2);
  await drain();
  expect((await Promise.all(all)).toSorted()).toEqual(["A", "B", "C", "D", "E", "F"]);
});

test("jobs that want the same never share a transaction, and nobody is forgotten", async () => {
  const { queue, batches, drain } = queueOf(1);
  const all = ["a1", "a2", "b1", "a3"].map((job) => queue.run(job));
  await nextTurn();
  await drain();
  expect(await Promise.all(all)).toEqual(["A1", "A2", "B1", "A3"]);
  expect(batches).toEqual([["a1", "b1"], ["a2"], ["a3"]]);
});

test("splits a burst, so that no transaction holds more locks than a server has room for", async () => {
  const { queue, batches, drain } = queueOf(1);
  const all = Array.from({ length: 300 }, (_, n) => queue.run(String.fromCodePoint(0x4e_00 + n)));
  await nextTurn();
  await drain();
  await Promise.all(all);
  expect(batches.map(({ length }) => length)).toEqual([128, 128, 44]);
});

test("lets only the job pay that threw", async () => {
  const mistake = new TypeError("a mistake in this program");
  const { queue, drain } = queueOf(1, (jobs) => (jobs.includes("x") ? mistake : undefined));
  const all = ["a", "b", "x", "c", "d"].map((job) => queue.run(job));
  const settled = Promise.allSettled(all);
  await nextTurn();
  await drain();
  const words = (await settled).map((one) => (one.status === "fulfilled" ? one.value : one.reason));
  expect(words).toEqual(["A", "B", mistake, "C", "D"]);
});

test("refuses all of a batch, once, when the database cannot be used", async () => {
  const unavailable = new StorageUnavailable("gone", { outcome: "unknown" });
  const { queue, batches, drain } = queueOf(1, () => unavailable);
  const settled = Promise.allSettled([queue.run("a"), queue.run("b")]);
  await nextTurn();
  await drain();
  for (const one of await settled) expect(one).toEqual({ status: "rejected", reason: unavailable });
  expect(batches).toHaveLength(1);
  expect(queue.counts).toMatchObject({ commits: 0, jobs: 0 });
});

test("settles what waits before it is closed, and takes nothing more", async () => {
  const { queue, drain } = queueOf(1);
  const waiting = queue.run("a");
  const closed = queue.close();
  await expect(queue.run("b")).rejects.toBeInstanceOf(StorageUnavailable);
  await nextTurn();
  await drain();
  await closed;
  expect(await waiting).toBe("A");
});
