// What the port promises about accepting an inquiry; most of it holds for every submission.
import { expect, test } from "vitest";
import { collect, inquiry, lease, mail, noon } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

export function marketplaceGuarantees(open: OpenStoreUnderTest): void {
  test("keeps every field of an inquiry as it was given", async () => {
    await using tested = await open();
    const given = inquiry(1, {
      name: "Zoë “Quote” O'Neil; DROP TABLE inquiry;-- 🎙️",
      selectedPackageIds: ["b", "a", '"'],
    });
    expect(await tested.store.acceptInquiry(given, [mail()], lease)).toMatchObject({ result: "accepted" });
    expect(await collect(tested.store.exportInquiries(0))).toEqual([{ ...given, status: "new" }]);
  });

  test("keeps an absent company as null", async () => {
    await using tested = await open();
    await tested.store.acceptInquiry(inquiry(1, { company: null }), [], lease);
    expect(await collect(tested.store.exportInquiries(0))).toMatchObject([{ company: null }]);
  });

  test("stores all mails of an inquiry with it", async () => {
    await using tested = await open();
    const mails = [mail(), mail({ kind: "inquiry-notice" })];
    await tested.store.acceptInquiry(inquiry(1), mails, lease);
    const stored = await tested.store.listMails({ limit: 10 });
    expect(new Set(stored.map((row) => row.id))).toEqual(new Set(mails.map((row) => row.id)));
  });

  test("stores nothing under a reference that is taken, neither inquiry nor mail", async () => {
    await using tested = await open();
    const first = inquiry(1);
    await tested.store.acceptInquiry(first, [mail()], lease);
    const second = inquiry(1, { name: "Somebody Else" });
    expect(await tested.store.acceptInquiry(second, [mail()], lease)).toEqual({ result: "reference-taken" });
    expect(await collect(tested.store.exportInquiries(0))).toEqual([{ ...first, status: "new" }]);
    expect(await tested.store.listMails({ limit: 10 })).toHaveLength(1);
  });

  test("gives a reference to exactly one of several that ask for it at once", async () => {
    await using tested = await open();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => tested.store.acceptInquiry(inquiry(1), [mail()], lease)),
    );
    expect(answers.filter(({ result }) => result === "accepted")).toHaveLength(1);
    expect(await collect(tested.store.exportInquiries(0))).toHaveLength(1);
    expect(await tested.store.listMails({ limit: 10 })).toHaveLength(1);
  });

  test("stores no inquiry whose mails cannot be stored", async () => {
    await using tested = await open();
    const twice = mail();
    await expect(tested.store.acceptInquiry(inquiry(1), [twice, twice], lease)).rejects.toThrow();
    expect(await collect(tested.store.exportInquiries(0))).toEqual([]);
    expect(await tested.store.listMails({ limit: 10 })).toEqual([]);
  });

  test("lets no submission suffer from another that fails beside it", async () => {
    await using tested = await open();
    const twice = mail();
    const answers = await Promise.allSettled(
      Array.from({ length: 16 }, (_, number) =>
        tested.store.acceptInquiry(inquiry(number), number === 7 ? [twice, twice] : [mail()], lease),
      ),
    );
    const rejected = answers.flatMap(({ status }, number) => (status === "rejected" ? [number] : []));
    expect(rejected).toEqual([7]);
    expect(await collect(tested.store.exportInquiries(0))).toHaveLength(15);
    expect(await tested.store.listMails({ limit: 100 })).toHaveLength(15);
  });

  test("keeps what was accepted when the store is opened again", async () => {
    await using tested = await open();
    const given = inquiry(1, { receivedAt: noon + 1 });
    await tested.store.acceptInquiry(given, [mail()], lease);
    const other = await tested.openAgain();
    expect(await collect(other.exportInquiries(0))).toEqual([{ ...given, status: "new" }]);
  });

  test("answers a repeated acceptance through another store with reference-taken", async () => {
    await using tested = await open();
    const other = await tested.openAgain();
    const answers = await Promise.all([
      tested.store.acceptInquiry(inquiry(1), [], lease),
      other.acceptInquiry(inquiry(1), [], lease),
    ]);
    expect(answers.map(({ result }) => result).toSorted()).toEqual(["accepted", "reference-taken"]);
  });
}
