// `npm run bench`: the service beside what one would write by hand or take off the shelf, and whether it reaches its goals.
// `npm run bench -- NAME …` runs one part: a scenario of scenarios.ts, `goals`, `growth`, `outbox`, `soak` or `processes`.
import { openBench, type Bench } from "./bench.ts";
import { compare, type Row } from "./compare.ts";
import { goalsOfRows, measureGoals, type Goal } from "./goals/goals.ts";
import { describeMachine } from "./machine.ts";
import { readOptions, type BenchOptions } from "./options.ts";
import { reportOf, writeResults } from "./report/write.ts";
import { scenarios } from "./scenarios.ts";

const options = readOptions(process.argv.slice(2));

async function runTable(bench: Bench, { names, rounds, roundMs, out }: BenchOptions): Promise<void> {
  const isWanted = (name: string) => names.length === 0 || names.includes(name);
  const rows: Row[] = [];
  for (const scenario of scenarios.filter(({ name }) => isWanted(name))) {
    process.stderr.write(`${scenario.name} …\n`);
    rows.push(...(await compare(scenario, bench)));
  }
  const goals: Goal[] = [...goalsOfRows(rows)];
  if (isWanted("goals")) {
    process.stderr.write("goals …\n");
    goals.push(...(await measureGoals(bench)));
  }
  const results = { machine: describeMachine(bench.ground.folder), rounds, roundMs, rows, goals };
  await writeResults(out, results);
  process.stdout.write(reportOf(results));
}

await using bench = await openBench(options);
if (bench.ground.shim === null) process.stderr.write("No C compiler: syncs are neither counted nor slowed.\n");
await runTable(bench, options);
