// What the port promises about the store as a whole: readiness, closing.
import { expect, test } from "vitest";
import { StorageUnavailable } from "../../../server/src/storage/store.ts";
import { collect, inquiry, lease, mail } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

export function operationGuarantees(open: OpenStoreUnderTest): void {
  test("is ready when submissions can be stored", async () => {
    await using tested = await open();
    expect(await tested.store.checkReadiness()).toEqual({ ready: true });
  });

  test("stores what was handed in before it closes", async () => {
    await using tested = await open();
    const other = await tested.openAgain();
    const accepted = tested.store.acceptInquiry(inquiry(1), [mail()], lease);
    await tested.store[Symbol.asyncDispose]();
    expect(await accepted).toMatchObject({ result: "accepted" });
    expect(await collect(other.exportInquiries(0))).toHaveLength(1);
  });

  test("refuses everything as unavailable once it is closed, and may be closed twice", async () => {
    await using tested = await open();
    await tested.store[Symbol.asyncDispose]();
    await tested.store[Symbol.asyncDispose]();
    const { store } = tested;
    const refused = [
      store.acceptInquiry(inquiry(1), [], lease),
      store.listMails({ limit: 1 }),
      collect(store.exportInquiries(0)),
    ];
    for (const call of await Promise.allSettled(refused)) {
      expect(call).toMatchObject({ status: "rejected", reason: expect.any(StorageUnavailable) });
    }
    expect(await store.checkReadiness()).toMatchObject({ ready: false });
  });
}
