import { expect, test } from "vitest";
import { openBench } from "../bench/bench.ts";
import { compare, paths } from "../bench/compare.ts";

test.each(["SQLite", "PostgreSQL"] as const)("on %s requests are answered rightly, and counted", async (engine) => {
  await using bench = await openBench();
  // The generator ends when an answer has another status than it should have.
  const rows = await compare(bench, { engine, clients: [2], rounds: 1, ms: 20 });
  expect(rows.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
    Object.keys(paths).flatMap((kind) => [`${kind} stock`, `${kind} service`]),
  );
  for (const { perSecond, p99 } of rows) expect(Math.min(perSecond.value, p99)).toBeGreaterThan(0);
});
