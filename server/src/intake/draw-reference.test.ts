import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import type { Acceptance } from "../storage/store.ts";
import { withFreshReference } from "./draw-reference.ts";

const noon = Date.UTC(2026, 10, 21, 12);
const accepted = { result: "accepted", mails: [] } as const;
const taken = { result: "reference-taken" } as const;

/** A day of which only these numbers are free. */
function dayWithFree(...free: number[]) {
  const asked: string[] = [];
  return {
    asked,
    store: { freeReferenceNumbers: async (_kind: string, _day: string, count: number) => free.slice(0, count) },
    accept: async (reference: string): Promise<Acceptance> => {
      asked.push(reference);
      const at = free.indexOf(Number(reference.slice(-6)));
      if (at < 0) return taken;
      free.splice(at, 1);
      return accepted;
    },
  };
}

test("draws anew when a reference is taken", async () => {
  const answers: Acceptance[] = [taken, taken, accepted];
  const asked: string[] = [];
  const store = { freeReferenceNumbers: () => Promise.reject(new Error("not asked for")) };
  const drawn = await withFreshReference(store, "INQ", noon, async (reference) => {
    asked.push(reference);
    return answers.shift() ?? taken;
  });
  expect(drawn).toEqual({ ...accepted, reference: asked[2] });
  expect(asked).toHaveLength(3);
  for (const reference of asked) expect(reference).toMatch(/^INQ-20261121-\d{6}$/);
});

test("finds the last free number of a day that is full but for one", async () => {
  const { store, accept } = dayWithFree(424_242);
  const drawn = await withFreshReference(store, "APP", noon, accept);
  expect(drawn).toEqual({ ...accepted, reference: "APP-20261121-424242" });
});

test("goes on when somebody else takes the free numbers first", async () => {
  const { store, accept } = dayWithFree(1, 2);
  let stolen = false;
  const drawn = await withFreshReference(store, "APP", noon, async (reference) => {
    if (reference.endsWith("000001") && !stolen) {
      stolen = true;
      return taken;
    }
    return accept(reference);
  });
  expect(drawn).toMatchObject({ result: "accepted" });
});

test("says when the next day begins once a day is full", async () => {
  const { store, accept, asked } = dayWithFree();
  const failure = await withFreshReference(store, "INQ", noon, accept).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Fault);
  expect(failure).toMatchObject({ fault: "referencesExhausted", retryAfterSeconds: 12 * 60 * 60 });
  expect(asked.length).toBeLessThan(20);
});

test("passes on that a submission was repeated", async () => {
  const store = { freeReferenceNumbers: async () => [] };
  expect(await withFreshReference(store, "INQ", noon, async () => ({ result: "repeated" }))).toEqual({
    result: "repeated",
  });
});
