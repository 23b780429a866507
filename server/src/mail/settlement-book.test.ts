import { expect, test } from "vitest";
import type { MailSettlement } from "../storage/records.ts";
import { SettlementBook } from "./settlement-book.ts";

const sent = (id: string, at = 1): MailSettlement => ({ id, at, result: "sent", providerId: "p" });

/** A store whose writes are let through or failed by hand. */
function storeByHand() {
  const written: { ids: string[]; owner: string }[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  return {
    written,
    waiting,
    store: {
      settle: async (settlements: readonly MailSettlement[], owner: string) => {
        written.push({ ids: settlements.map(({ id }) => id), owner });
        const gate = Promise.withResolvers<void>();
        waiting.push(gate);
        await gate.promise;
      },
    },
  };
}

test("nothing to write is no write", async () => {
  const { store, written } = storeByHand();
  const book = new SettlementBook(store, "me");
  await book.write();
  await book.close();
  expect([written, book.isOpen]).toEqual([[], false]);
});

test("it holds a mail while it is being written, and not afterwards", async () => {
  const { store, written, waiting } = storeByHand();
  const book = new SettlementBook(store, "me");
  const done = book.write([sent("a")]);
  expect([book.isOpen, book.holds("a"), book.holds("b")]).toEqual([true, true, false]);
  waiting[0]!.resolve();
  await done;
  expect([book.isOpen, book.holds("a")]).toEqual([false, false]);
  expect(written).toEqual([{ ids: ["a"], owner: "me" }]);
});

test("a watch notes what is settled while it lasts", async () => {
  const book = new SettlementBook({ settle: async () => {} }, "me");
  await book.write([sent("before")]);
  const during = sent("during");
  let noted: ReadonlyMap<string, MailSettlement>;
  {
    using watch = book.watch();
    noted = watch.recorded;
    await book.write([during]);
  }
  await book.write([sent("after")]);
  expect([...noted]).toEqual([["during", during]]);
});

test("what the store does not take is held and written the next time, before what is new", async () => {
  const { store, written, waiting } = storeByHand();
  const book = new SettlementBook(store, "me");
  const failed = book.write([sent("a"), sent("b")]);
  waiting[0]!.reject(new Error("unusable"));
  await expect(failed).rejects.toThrow("unusable");
  expect([book.isOpen, book.holds("a"), book.holds("b")]).toEqual([true, true, true]);
  const again = book.write([sent("c")]);
  expect(book.holds("a")).toBe(true);
  waiting[1]!.resolve();
  await again;
  expect(written.map(({ ids }) => ids)).toEqual([
    ["a", "b"],
    ["a", "b", "c"],
  ]);
  expect([book.isOpen, book.holds("a")]).toEqual([false, false]);
});

test("two writes at once do not write the same twice", async () => {
  const { store, written, waiting } = storeByHand();
  const book = new SettlementBook(store, "me");
  const failed = book.write([sent("a")]);
  waiting[0]!.reject(new Error("unusable"));
  await failed.catch(() => {});
  const [first, second] = [book.write(), book.write([sent("b")])];
  for (const gate of waiting.slice(1)) gate.resolve();
  await Promise.all([first, second]);
  expect(written.slice(1).map(({ ids }) => ids)).toEqual([["a"], ["b"]]);
});

test("closing waits for what is being written, and writes what was kept once more", async () => {
  const { store, written, waiting } = storeByHand();
  const book = new SettlementBook(store, "me");
  const failed = book.write([sent("a")]);
  const closed = book.close();
  waiting[0]!.reject(new Error("unusable"));
  await failed.catch(() => {});
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]!.resolve();
  await closed;
  expect([written.map(({ ids }) => ids), book.isOpen]).toEqual([[["a"], ["a"]], false]);
});
