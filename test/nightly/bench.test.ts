import { expect, test } from "vitest";
import { openBench } from "../bench/bench.ts";
import { compare } from "../bench/compare.ts";
import { describeMachine } from "../bench/machine.ts";
import { drawCpu, drawThroughput } from "../bench/report/charts.ts";
import { columnNames } from "../bench/report/table.ts";
import { reportOf } from "../bench/report/write.ts";
import { scenarios } from "../bench/scenarios.ts";

/** One of each way of sending; all of them take a minute (`npm run bench -- --ms 20 --rounds 1`). */
const tried = scenarios.filter(({ name }) => ["inquiry", "upload-1mb", "refusal", "postgres"].includes(name));
/** Some fifteen processes are started, one after the other: a minute on a busy machine. */
const timeoutMs = 300_000;

test(
  "scenarios are answered as they should be, and have their rows in the table and in the picture",
  async () => {
    await using bench = await openBench({ rounds: 1, roundMs: 20 });
    const rows = [];
    expect(tried).toHaveLength(4);
    for (const scenario of tried) {
      // The generator fails when an answer has another status than it should have.
      rows.push(...(await compare({ ...scenario, clients: [2] }, bench)));
    }
    for (const { name, entries } of tried) {
      const services = entries.filter(({ entrant }) => entrant.startsWith("service"));
      const measured = rows.filter(({ scenario, entrant }) => scenario === name && entrant.startsWith("service"));
      expect(measured, name).toHaveLength(services.length);
      for (const { perSecond, cpuMicros, p999 } of measured) {
        expect(perSecond).toBeGreaterThan(0);
        expect(cpuMicros).toBeGreaterThanOrEqual(0);
        expect(p999).toBeGreaterThan(0);
      }
    }
    const machine = describeMachine(bench.ground.folder);
    const report = reportOf({ machine, rounds: 1, roundMs: 20, rows, goals: [] });
    for (const column of columnNames.filter((name) => !["Syncs", "Memory KB"].includes(name)))
      expect(report).toContain(column);
    for (const picture of [drawCpu(rows), drawThroughput(rows)]) expect(picture).toMatch(/^<svg .*<\/svg>\n$/s);
  },
  timeoutMs,
);
