// What the port promises about resumes, to the vault, the scanner and operators.
import { expect } from "vitest";
import { acceptReference, application, findResume, minute, noon, resume } from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

const later = noon + minute;

test("finds the resume of an application, and none where none came or of an unknown one", async ({ store }) => {
  const reference = await acceptReference(store, application(1));
  expect(await findResume(store, reference)).toEqual({ ...resume(1), scan: "unscanned" });
  const without = await acceptReference(store, application(2, { resume: null }));
  for (const none of [without, "APP-20251121-000000", "' OR 1=1 --"]) expect(await findResume(store, none)).toBeNull();
});

test("hands out resumes that no scanner has judged, oldest first, and keeps what it says", async ({ store }) => {
  const first = {
    reference: await acceptReference(store, application(2, { receivedAt: noon + 1 })),
    key: resume(2).key,
  };
  const second = { reference: await acceptReference(store, application(1)), key: resume(1).key };
  await acceptReference(store, application(3, { resume: null }));
  expect(await store.claimUnscanned(noon, 1, later)).toEqual([first]);
  expect(await store.claimUnscanned(noon, 10, later)).toEqual([second]);
  await store.recordScan(first.key, "infected");
  expect(await store.claimUnscanned(later, 10, later)).toEqual([second]);
  expect(await findResume(store, first.reference)).toEqual({ ...resume(2), scan: "infected" });
});

test("hands out no resume twice before its time, also not to another process", async ({ store, tested }) => {
  const other = await tested.openAgain();
  const numbers = Array.from({ length: 30 }, (_, number) => number);
  for (const number of numbers) await acceptReference(store, application(number));
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? store : other).claimUnscanned(noon, 7, later)),
  );
  const keys = claims.flat().map(({ key }) => key);
  expect(keys).toHaveLength(30);
  expect(new Set(keys).size).toBe(30);
  expect(await other.claimUnscanned(later - 1, 10, later)).toEqual([]);
  expect(await other.claimUnscanned(later, 50, later + 1)).toHaveLength(30);
});

test("hands out a resume that was claimed before the clock was set back", async ({ store }) => {
  await acceptReference(store, application(1));
  expect(await store.claimUnscanned(noon + 120 * minute, 1, later + 120 * minute)).toHaveLength(1);
  expect(await store.claimUnscanned(noon, 1, later)).toHaveLength(1);
  expect(await store.claimUnscanned(noon, 1, later)).toEqual([]);
});

test("tells which vault keys belong to applications, of however many", async ({ store }) => {
  await acceptReference(store, application(1));
  await acceptReference(store, application(2, { resume: null }));
  await acceptReference(store, application(3), { spam: true });
  const asked = Array.from({ length: 40_000 }, (_, number) => resume(number).key);
  expect(await store.knownResumeKeys(asked)).toEqual(new Set([resume(1).key, resume(3).key]));
  expect(await store.knownResumeKeys([])).toEqual(new Set());
});
