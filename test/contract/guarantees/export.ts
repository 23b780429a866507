// What the port promises about exports: complete, in order, and no burden on the service that runs.
import { expect, test } from "vitest";
import { application, collect, inquiry, lease, noon, reference, subscription, welcome } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

/** More than two pages of any sensible size. */
const many = 1_203;

export function exportGuarantees(open: OpenStoreUnderTest): void {
  test("exports nothing from an empty store", async () => {
    await using tested = await open();
    expect(await collect(tested.store.exportInquiries(0))).toEqual([]);
    expect(await collect(tested.store.exportApplications(0))).toEqual([]);
    expect(await collect(tested.store.exportSubscribers(0))).toEqual([]);
  });

  test("exports inquiries from a time onwards, that time included, oldest first", async () => {
    await using tested = await open();
    for (const number of [3, 1, 2]) {
      await tested.store.acceptInquiry(inquiry(number, { receivedAt: noon + number }), [], lease);
    }
    const exported = await collect(tested.store.exportInquiries(noon + 2));
    expect(exported.map((row) => row.receivedAt)).toEqual([noon + 2, noon + 3]);
  });

  test("exports each of many rows of the same millisecond once", async () => {
    await using tested = await open();
    const numbers = Array.from({ length: many }, (_, number) => number);
    await Promise.all(
      numbers.flatMap((number) => [
        tested.store.acceptInquiry(inquiry(number), [], lease),
        tested.store.acceptApplication(application(number), [], lease),
        tested.store.acceptSubscription(
          subscription({ email: `r${String(number).padStart(6, "0")}@example.org` }),
          welcome(),
          lease,
        ),
      ]),
    );
    const inquiries = await collect(tested.store.exportInquiries(noon));
    expect(inquiries.map((row) => row.reference)).toEqual(numbers.map((n) => reference("INQ", n)));
    const applications = await collect(tested.store.exportApplications(noon));
    expect(applications.map((row) => row.reference)).toEqual(numbers.map((n) => reference("APP", n)));
    const subscribers = await collect(tested.store.exportSubscribers(noon));
    expect(new Set(subscribers.map((row) => row.email)).size).toBe(many);
    expect(await collect(tested.store.exportInquiries(noon + 1))).toEqual([]);
  });

  test("takes submissions while an export is being read, and exports those that come later", async () => {
    await using tested = await open();
    for (const number of [1, 2]) await tested.store.acceptInquiry(inquiry(number), [], lease);
    const seen: string[] = [];
    for await (const row of tested.store.exportInquiries(0)) {
      seen.push(row.reference);
      const number = 100 + seen.length;
      expect(await tested.store.acceptInquiry(inquiry(number), [], lease)).toMatchObject({ result: "accepted" });
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([reference("INQ", 1), reference("INQ", 2)]);
    expect(await collect(tested.store.exportInquiries(0))).toHaveLength(4);
  });
}
