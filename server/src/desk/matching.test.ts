import type { PageRequest } from "@submissions/shared/console";
import { expect, test } from "vitest";
import { pageLimitMax, wholeScope } from "../storage/desk-store.ts";
import type { StoredSubmission } from "../storage/records.ts";
import { findMatching, matchingMax } from "./matching.ts";

const listOf = (count: number) => ({
  async listSubmissions(_scope: unknown, _filter: unknown, { after = 0, limit = 50 }: PageRequest) {
    const [from, isGap] = [Math.floor(after), after % 1 !== 0];
    const last = Math.min(count, from + limit);
    const numbers = isGap ? [] : Array.from({ length: last - from }, (_, at) => from + at + 1);
    const next = isGap ? from : last < count ? last + (last % 300 === 0 ? 0.5 : 0) : null;
    return { rows: numbers.map((one) => ({ reference: String(one), version: 1 }) as StoredSubmission), next };
  },
});

test("names everything, over pages that are short or empty too", async () => {
  const { targets, more } = await findMatching(listOf(1_234), wholeScope, {});
  expect([targets.length, targets[0]?.reference, targets.at(-1)?.reference, more]).toEqual([1_234, "1", "1234", false]);
});

test.each([
  [matchingMax, false],
  [matchingMax + 1, true],
  [3 * matchingMax, true],
])("of %i it names at most 10,000, and says whether there are more: %s", async (count, more) => {
  const found = await findMatching(listOf(count), wholeScope, {});
  expect([found.targets.length, found.more]).toEqual([matchingMax, more]);
});

test("others have their turn of the event loop between the pages", async () => {
  let turns = 0;
  setImmediate(() => (turns += 1));
  await findMatching(listOf(2 * pageLimitMax), wholeScope, {});
  expect(turns).toBe(1);
});

test("a search that takes too long is given up, one that has come to its end is not", async () => {
  const find = (count: number) => findMatching(listOf(count), wholeScope, {}, -1);
  await expect(find(2 * pageLimitMax)).rejects.toMatchObject({ name: "ReadTooSlow" });
  expect((await find(pageLimitMax)).targets).toHaveLength(pageLimitMax);
});
