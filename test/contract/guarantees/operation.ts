// What the port promises about the store as a whole: readiness, closing.
import { expect, test } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { StorageUnavailable } from "../../../server/src/storage/store.ts";
import { accept, findResume, inquiries, inquiry, noon, offer } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

export function operationGuarantees(open: OpenStoreUnderTest): void {
  test("is ready when submissions can be stored", async () => {
    await using tested = await open();
    expect(await tested.store.checkReadiness()).toEqual({ ready: true });
  });

  test("has an identity that is long and random", async () => {
    await using tested = await open();
    expect(tested.store.identity).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(tested.store.identity).size).toBeGreaterThan(4);
  });

  test("stores what was handed in before it closes", async () => {
    await using tested = await open();
    const other = await tested.openAgain();
    const accepted = accept(tested.store, inquiry(1));
    await tested.store[Symbol.asyncDispose]();
    expect(await accepted).toMatchObject({ result: "accepted" });
    expect(await inquiries(other)).toHaveLength(1);
  });

  test("refuses everything as unavailable once it is closed, and may be closed twice", async () => {
    await using tested = await open();
    await tested.store[Symbol.asyncDispose]();
    await tested.store[Symbol.asyncDispose]();
    const { store } = tested;
    const refused = [
      offer(store, inquiry(1)),
      findResume(store, "INQ-20261121-000000"),
      store.listMails({ limit: 1 }),
      store.forgetExpired(noon),
      inquiries(store),
      store.desk.listSubmissions(wholeScope, {}, {}),
      store.desk.listSubscribers({}, {}),
      store.desk.listMails(wholeScope, undefined, {}),
      store.desk.overview(wholeScope, noon),
    ];
    for (const call of await Promise.allSettled(refused)) {
      expect(call).toMatchObject({ status: "rejected", reason: expect.any(StorageUnavailable) });
    }
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
  });

  test("counts commits and what shares them", async () => {
    await using tested = await open();
    const before = tested.store.commitCounts;
    await Promise.all(Array.from({ length: 64 }, (_, number) => accept(tested.store, inquiry(number))));
    const { commits, jobs, waiting, sizes, seconds } = tested.store.commitCounts;
    expect(jobs - before.jobs).toBe(64);
    expect(commits - before.commits).toBeLessThanOrEqual(8);
    expect(waiting).toBe(0);
    const total = ({ counts }: typeof sizes) => counts.reduce((sum, count) => sum + count, 0);
    expect([total(sizes), total(seconds)]).toEqual([commits, commits]);
    expect(sizes.sum).toBe(jobs);
  });
}
