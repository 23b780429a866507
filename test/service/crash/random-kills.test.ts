// kill -9 at random moments under load. `long-run.ts` does the same for as long as one likes.
import { expect, test } from "vitest";
import { killAtRandom } from "../../support/crash/kill-rounds.ts";

test("two kills under load lose nothing, double nothing and spoil no file", { timeout: 300_000 }, async () => {
  const { acknowledged, interrupted, mailsTaken, ...faults } = await killAtRandom(2);
  for (const [name, count] of Object.entries(faults)) expect([name, count]).toEqual([name, 0]);
  expect(interrupted).toBeGreaterThan(0);
  expect(mailsTaken).toBeGreaterThanOrEqual(acknowledged);
});
