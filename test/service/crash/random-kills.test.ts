// kill -9 at a random moment under load. `long-run.ts` does the same for as long as one likes, at night on both engines.
import { expect, test } from "vitest";
import { killAtRandom } from "../../support/crash/kill-rounds.ts";

test("a kill under load loses nothing, doubles nothing and spoils no file", { timeout: 300_000 }, async () => {
  const { acknowledged, interrupted, mailsTaken, ...faults } = await killAtRandom(1);
  for (const [name, count] of Object.entries(faults)) expect([name, count]).toEqual([name, 0]);
  expect(interrupted).toBeGreaterThan(0);
  expect(mailsTaken).toBeGreaterThanOrEqual(acknowledged);
});
