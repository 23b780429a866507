import { expect, test } from "vitest";
import { openBench } from "../bench/bench.ts";
import { compare, scenarios } from "../bench/compare.ts";
import { tableOf } from "../bench/table.ts";

test(
  "scenarios are answered as they should be, and have their rows in the table",
  async () => {
    await using bench = await openBench();
    for (const scenario of scenarios) {
      // The generator ends when an answer has another status than it should have.
      const rows = await compare({ ...scenario, clients: [2] }, bench, { rounds: 1, roundMs: 20 });
      expect(rows, scenario.name).toHaveLength(2 * scenario.requests.length);
      for (const { perSecond, p99 } of rows) {
        expect(perSecond).toBeGreaterThan(0);
        expect(p99).toBeGreaterThan(0);
      }
      const table = tableOf(scenario.name, rows);
      for (const { request } of rows) expect(table).toContain(`| ${request} | this service | 2 |`);
    }
  },
  // Some fourteen processes are started, one after the other: a minute on a busy machine.
  300_000,
);
