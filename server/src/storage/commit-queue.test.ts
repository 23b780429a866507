import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { TryAgain, CommitQueue, type Commits } from "./commit-queue.ts";
import { StorageUnavailable } from "./store.ts";

/** A queue of numbers that answers each with its double and records what was committed together. */
function queueOf(more: Partial<Commits<number, number>> = {}) {
  const batches: (readonly number[])[] = [];
  const queue = new CommitQueue<number, number>({
    batchMax: 100,
    async commit(jobs) {
      batches.push(jobs);
      return jobs.map((job) => job * 2);
    },
    ...more,
  });
  return { queue, batches };
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

test("commits what comes together in one batch and answers each in its place", async () => {
  const { queue, batches } = queueOf();
  expect(await Promise.all(upTo(3).map((job) => queue.run(job)))).toEqual([0, 2, 4]);
  expect(batches).toEqual([[0, 1, 2]]);
  expect(queue.counts).toMatchObject({ commits: 1, jobs: 3, retries: 0, waiting: 0 });
});

test("splits a burst into batches", async () => {
  const { queue, batches } = queueOf({ batchMax: 100 });
  await Promise.all(upTo(250).map((job) => queue.run(job)));
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
});

/** After it a job that came before has begun. */
const emptyTurn = async () => {
  await nextTurn();
  await nextTurn();
};

test("commits one batch at a time, and gathers jobs meanwhile", async () => {
  const held = Promise.withResolvers<void>();
  const sizes: number[] = [];
  const commit = async (jobs: readonly number[]) => {
    sizes.push(jobs.length);
    await held.promise;
    return [...jobs];
  };
  const { queue } = queueOf({ commit });
  const all = [queue.run(1)];
  await emptyTurn();
  all.push(queue.run(2));
  await nextTurn();
  all.push(queue.run(3), queue.run(4));
  await nextTurn();
  expect(sizes).toEqual([1]);
  expect(queue.counts.waiting).toBe(3);
  held.resolve();
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
  expect(sizes).toEqual([1, 3]);
});

test("what comes in the turn after the first job shares its commit, up to the largest batch", async () => {
  const { queue, batches } = queueOf({ batchMax: 3 });
  const all = [];
  for (const job of [1, 2, 3, 4]) {
    all.push(queue.run(job));
    await nextTurn();
  }
  await Promise.all(all);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test("after a commit of few jobs the next one waits for no empty turn", async () => {
  const { queue, batches } = queueOf({ batchMax: 3 });
  await queue.run(0);
  const all = [];
  for (const job of [1, 2]) {
    all.push(queue.run(job));
    await nextTurn();
  }
  await Promise.all(all);
  expect(batches).toEqual([[0], [1], [2]]);
});

test("jobs that never stop coming do not put a commit off for ever", async () => {
  const { queue, batches } = queueOf({ batchMax: 1000 });
  const all = [];
  while (batches.length === 0 && all.length < 1000) {
    all.push(queue.run(all.length));
    await nextTurn();
  }
  await Promise.all(all);
  expect(all.length).toBeLessThan(20);
});

/** Longer than any test: what may wait for so long is committed by something else. */
const forHours = { waitMs: 3_600_000 };

test("a job that may wait is committed with the next batch, in its place", async () => {
  const { queue, batches } = queueOf();
  const patient = queue.run(1, forHours);
  await nextTurn();
  await nextTurn();
  expect(batches).toEqual([]);
  expect(queue.counts.waiting).toBe(1);
  expect(await Promise.all([queue.run(2), queue.run(3), patient])).toEqual([4, 6, 2]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test("a batch begins when the shortest wait ends", async () => {
  const { queue, batches } = queueOf();
  expect(await Promise.all([queue.run(1, forHours), queue.run(2, { waitMs: 1 })])).toEqual([2, 4]);
  expect(await Promise.all([queue.run(3, { waitMs: 1 }), queue.run(4, forHours)])).toEqual([6, 8]);
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("jobs whose waits end during a commit stay in the order in which they came", async () => {
  const held = Promise.withResolvers<void>();
  const batches: (readonly number[])[] = [];
  const commit = async (jobs: readonly number[]) => {
    batches.push(jobs);
    if (batches.length === 1) await held.promise;
    return [...jobs];
  };
  const { queue } = queueOf({ commit, batchMax: 3 });
  const all = [queue.run(0)];
  await emptyTurn();
  for (const job of [1, 2, 3, 4]) {
    all.push(queue.run(job, { waitMs: 1 }));
    // Another queue's timer, which was set later and for longer.
    await queueOf().queue.run(0, { waitMs: 2 });
  }
  held.resolve();
  await Promise.all(all);
  expect(batches).toEqual([[0], [1, 2, 3], [4]]);
});

test("a job does not wait for others when its deadline is nearer", async () => {
  const { queue } = queueOf();
  expect(await queue.run(1, { ...forHours, deadline: performance.now() + 60_000 })).toBe(2);
});

test("the end of a batch commits no job that may wait", async () => {
  const { queue, batches } = queueOf();
  const patient = queue.run(1).then(() => queue.run(2, forHours));
  await queue.run(3);
  await nextTurn();
  await nextTurn();
  expect(batches).toEqual([[1, 3]]);
  await queue.close();
  expect(await patient).toBe(4);
});

test("jobs that wait are committed before the queue is closed, and none is taken from then on", async () => {
  const { queue, batches } = queueOf({ batchMax: 2 });
  const patient = Promise.all(upTo(5).map((job) => queue.run(job, forHours)));
  const closed = queue.close();
  await expect(queue.run(2)).rejects.toBeInstanceOf(StorageUnavailable);
  await closed;
  expect(await patient).toEqual([0, 2, 4, 6, 8]);
  expect(batches).toEqual([[0, 1], [2, 3], [4]]);
  await expect(queue.run(2, forHours)).rejects.toBeInstanceOf(StorageUnavailable);
  await queue.close();
});

test("a job that has to come again holds up no other, and goes with a later commit", async () => {
  let isHeld = true;
  const { queue } = queueOf({
    busyMs: 60_000,
    commit: async (jobs) =>
      jobs.map((job) => (job === 1 && isHeld ? new TryAgain(new StorageUnavailable("held")) : 2 * job)),
  });
  const held = queue.run(1);
  expect(await queue.run(2)).toBe(4);
  expect(queue.counts).toMatchObject({ commits: 1, jobs: 1, waiting: 1 });
  isHeld = false;
  expect(await queue.run(3)).toBe(6);
  expect(await held).toBe(2);
  expect(queue.counts).toMatchObject({ jobs: 3, waiting: 0 });
});

test("a job that has to come again comes by itself, and is refused when its time is up", async () => {
  const refusal = new StorageUnavailable("held");
  let tries = 0;
  const { queue } = queueOf({
    busyMs: 60_000,
    commit: async (jobs) => jobs.map((job) => (job === 1 || (tries += 1) < 3 ? new TryAgain(refusal) : 2 * job)),
  });
  expect(await queue.run(2)).toBe(4);
  expect(tries).toBe(3);
  await expect(queue.run(1, { deadline: performance.now() + 60 })).rejects.toBeInstanceOf(StorageUnavailable);
});

test("closes after a job was refused at its deadline", async () => {
  const { queue } = queueOf();
  const late = queue.run(1, { deadline: performance.now() });
  await Promise.all([expect(late).rejects.toThrow(), queue.close()]);
});
