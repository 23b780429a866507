// `npm run bench`: the service beside what one would write by hand or take off the shelf, and whether it reaches its goals.
// `npm run bench -- NAME …` runs one part: a scenario of scenarios.ts, `goals`, `growth`, `outbox`, `soak` or `processes`.
import { openBench, type Bench } from "./bench.ts";
import { compare, type Row } from "./compare.ts";
import { goalsOfRows, measureGoals, type Goal } from "./goals/goals.ts";
import { describeMachine } from "./machine.ts";
import { readOptions, usageOf, type BenchOptions } from "./options.ts";
import { parts } from "./parts.ts";
import { reportOf, writePart, writeResults } from "./report/write.ts";
import { scenarios } from "./scenarios.ts";

const known = ["goals", ...scenarios.map(({ name }) => name), ...Object.keys(parts)];

function optionsOrEnd(): BenchOptions {
  try {
    const options = readOptions(process.argv.slice(2), known);
    if (options !== null) return options;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
  process.stdout.write(usageOf(known));
  return process.exit(0);
}

async function runTable(bench: Bench, { rounds, roundMs, out }: BenchOptions, names: readonly string[]): Promise<void> {
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

const options = optionsOrEnd();
await using bench = await openBench(options);
if (bench.ground.shim === null) process.stderr.write("No C compiler: syncs are neither counted nor slowed.\n");
const inTable = options.names.filter((name) => !(name in parts));
if (inTable.length > 0 || options.names.length === 0) await runTable(bench, options, inTable);
for (const [name, measure] of Object.entries(parts).filter(([part]) => options.names.includes(part))) {
  const report = await measure(bench, options);
  await writePart(options.out, name, describeMachine(bench.ground.folder), report);
  process.stdout.write(report.text);
}
