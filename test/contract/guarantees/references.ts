// What the port promises about references.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { accept, acceptReference, application, findSubmission, inquiries, inquiry, noon, offer } from "../records.ts";
import type { StoreTest } from "../store-under-test.ts";

const dayMs = 24 * 60 * 60_000;
const exhausted = { result: "references-exhausted" };
/** A day of which no other test takes references. */
const receivedAt = Date.UTC(2026, 11, 31);

export function referenceGuarantees(test: StoreTest): void {
  test("gives each submission a reference of its kind and of the day in UTC when it came in", async ({ store }) => {
    const lastMoment = Date.UTC(2026, 10, 21, 23, 59, 59, 999);
    expect(await acceptReference(store, inquiry(1, { receivedAt: lastMoment }))).toMatch(/^INQ-20261121-\d{6}$/);
    expect(await acceptReference(store, application(1, { receivedAt: lastMoment + 1 }))).toMatch(
      /^APP-20261122-\d{6}$/,
    );
  });

  test("gives no reference twice, to many at once and through several processes", async ({ store, tested }) => {
    const stores = [store, await tested.openAgain()];
    const references = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        acceptReference(stores[n % 2] ?? store, n % 3 === 0 ? application(n) : inquiry(n)),
      ),
    );
    expect(new Set(references).size).toBe(100);
    for (const reference of references) {
      expect(await findSubmission(store, reference)).toMatchObject({ reference });
    }
  });

  test("does not tell by a reference how many submissions came before", async ({ store }) => {
    const numbers: number[] = [];
    for (let n = 0; n < 20; n += 1) numbers.push(Number((await acceptReference(store, inquiry(n))).slice(-6)));
    expect(numbers).not.toEqual(numbers.toSorted((a, b) => a - b));
    // Twenty draws of a million that all lie below 100,000: once in 10^20.
    expect(Math.max(...numbers)).toBeGreaterThan(100_000);
  });

  test("uses all references of a day, and refuses only what comes after the last", async ({ store, tested }) => {
    await tested.setTaken("inquiry", 20261231, 999_997);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => offer(store, inquiry(n, { receivedAt }))));
    expect(answers.map(({ result }) => result)).toEqual([
      ...Array.from({ length: 3 }, () => "accepted"),
      ...Array.from({ length: 5 }, () => "references-exhausted"),
    ]);
    expect(await inquiries(store)).toHaveLength(3);
    expect(await offer(store, inquiry(9, { receivedAt }))).toEqual(exhausted);
  });

  test("counts every day and kind apart", async ({ store, tested }) => {
    await tested.setTaken("inquiry", 20261231, 1_000_000);
    expect(await offer(store, inquiry(1, { receivedAt }))).toEqual(exhausted);
    await accept(store, application(1, { receivedAt }));
    await accept(store, inquiry(2, { receivedAt: receivedAt + dayMs }));
    expect(await listMails(store.desk, { limit: 10 })).toHaveLength(4);
  });

  test("takes neither key nor challenge of a submission that got no reference", async ({ store, tested }) => {
    await tested.setTaken("inquiry", 20261231, 1_000_000);
    const key = { procedure: "marketplace.inquiry", keyHash: "a".repeat(64), fingerprint: "b", createdAt: noon };
    const challenge = { hash: "c".repeat(64), expiresAt: noon };
    expect(await offer(store, inquiry(1, { receivedAt }), { key, challenge })).toEqual(exhausted);
    expect(await store.findEarlier(key)).toBeNull();
    await accept(store, application(1, { receivedAt }), { key, challenge });
  });
}
