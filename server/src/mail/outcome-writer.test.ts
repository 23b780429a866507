import { expect, test } from "vitest";
import type { MailSettlement } from "../storage/records.ts";
import { OutcomeWriter } from "./outcome-writer.ts";

const sent = (id: string, at = 1): MailSettlement => ({ id, at, result: "sent", providerId: "p" });

const events = { settled: () => {}, failed: () => {} };

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

test("what the store does not take is held and written the next time, before what is new", async () => {
  const { store, written, waiting } = storeByHand();
  const writer = new OutcomeWriter(store, "me", events);
  const failed = writer.write([sent("a"), sent("b")]);
  waiting[0]!.reject(new Error("unusable"));
  await expect(failed).rejects.toThrow("unusable");
  expect(writer.open).toEqual(new Set(["a", "b"]));
  const again = writer.write([sent("c")]);
  expect(writer.open.has("a")).toBe(true);
  waiting[1]!.resolve();
  await again;
  expect(written.map(({ ids }) => ids)).toEqual([
    ["a", "b"],
    ["a", "b", "c"],
  ]);
  expect(writer.open).toEqual(new Set());
});

test("two writes at once do not write the same twice", async () => {
  const { store, written, waiting } = storeByHand();
  const writer = new OutcomeWriter(store, "me", events);
  const failed = writer.write([sent("a")]);
  waiting[0]!.reject(new Error("unusable"));
  await failed.catch(() => {});
  const [first, second] = [writer.write(), writer.write([sent("b")])];
  for (const gate of waiting.slice(1)) gate.resolve();
  await Promise.all([first, second]);
  expect(written.slice(1).map(({ ids }) => ids)).toEqual([["a"], ["b"]]);
});
