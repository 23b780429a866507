// What the port promises about finding free reference numbers.
import { expect, test } from "vitest";
import { formatReference } from "../../../shared/src/reference.ts";
import { application, day, inquiry, lease } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

export function referenceGuarantees(open: OpenStoreUnderTest): void {
  test("finds as many different free numbers of an empty day as asked for", async () => {
    await using tested = await open();
    const found = await tested.store.freeReferenceNumbers("INQ", day, 50);
    expect(new Set(found).size).toBe(50);
    for (const number of found) expect(formatReference("INQ", day, number)).toHaveLength(19);
    expect(await tested.store.freeReferenceNumbers("INQ", day, 0)).toEqual([]);
  });

  test("starts looking at a random number", async () => {
    await using tested = await open();
    const starts = await Promise.all(Array.from({ length: 8 }, () => tested.store.freeReferenceNumbers("APP", day, 1)));
    // Eight equal draws of a million would be a miracle.
    expect(new Set(starts.flat()).size).toBeGreaterThan(1);
  });

  test("finds the one free number of a day with 999,999 taken, and none when that is taken too", async () => {
    await using tested = await open();
    await tested.fillDay("INQ", day, [123_456]);
    expect(await tested.store.freeReferenceNumbers("INQ", day, 10)).toEqual([123_456]);
    expect(await tested.store.acceptInquiry(inquiry(123_456), [], lease)).toMatchObject({ result: "accepted" });
    expect(await tested.store.freeReferenceNumbers("INQ", day, 10)).toEqual([]);
    // Another kind and another day are not touched by it.
    expect(await tested.store.freeReferenceNumbers("APP", day, 3)).toHaveLength(3);
    expect(await tested.store.freeReferenceNumbers("INQ", "20261122", 3)).toHaveLength(3);
  });

  test("finds all free numbers of a nearly full day, its first and its last among them", async () => {
    await using tested = await open();
    const free = [0, 9_999, 10_000, 500_000, 500_001, 999_999];
    await tested.fillDay("APP", day, free);
    const found = await tested.store.freeReferenceNumbers("APP", day, 100);
    expect(found.toSorted((a, b) => a - b)).toEqual(free);
    expect(await tested.store.freeReferenceNumbers("APP", day, 2)).toHaveLength(2);
    const [number = -1] = found;
    expect(await tested.store.acceptApplication(application(number), [], lease)).toMatchObject({ result: "accepted" });
  });
}
