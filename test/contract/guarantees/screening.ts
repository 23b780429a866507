// What the port promises about the mark of throw-away addresses.
import { expect, test } from "vitest";
import { application, collect, inquiry, lease, noon, subscription, welcome } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

export function screeningGuarantees(open: OpenStoreUnderTest): void {
  test.each([true, false])("keeps of every submission whether its address is a throw-away one: %s", async (is) => {
    await using tested = await open();
    const { store } = tested;
    await store.acceptInquiry(inquiry(1, { emailDisposable: is }), [], lease);
    await store.acceptApplication(application(1, { emailDisposable: is }), [], lease);
    await store.acceptSubscription(subscription({ emailDisposable: is }), welcome(), lease);
    const marked = [{ emailDisposable: is }];
    expect(await collect(store.exportInquiries(0))).toMatchObject(marked);
    expect(await collect(store.exportApplications(0))).toMatchObject(marked);
    expect(await collect(store.exportSubscribers(0))).toMatchObject(marked);
    expect(await store.findSubmission(inquiry(1).reference)).toMatchObject({ inquiry: { emailDisposable: is } });
    expect(await store.findSubmission(application(1).reference)).toMatchObject({
      application: { emailDisposable: is },
    });
  });

  test("takes an address for no throw-away one where nothing is said", async () => {
    await using tested = await open();
    const { emailDisposable: _mark, ...unmarked } = inquiry(1);
    await tested.store.acceptInquiry(unmarked, [], lease);
    expect(await collect(tested.store.exportInquiries(0))).toMatchObject([{ emailDisposable: false }]);
  });

  test("marks a subscriber by the latest request", async () => {
    await using tested = await open();
    const { store } = tested;
    for (const is of [true, false, true]) {
      await store.acceptSubscription(subscription({ emailDisposable: is, receivedAt: noon + 1 }), welcome(), lease);
      expect(await collect(store.exportSubscribers(0))).toMatchObject([{ emailDisposable: is }]);
    }
  });
}
