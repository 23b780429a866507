// `npm run bench`: the service beside what one would take off the shelf. `npm run bench -- NAME …` runs some scenarios only.
import { parseArgs } from "node:util";
import { openBench } from "./bench.ts";
import { compare, scenarios } from "./compare.ts";
import { machineLine, tableOf } from "./table.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "3" }, ms: { type: "string", default: "1000" } },
});
const [rounds, roundMs] = [Number(values.rounds), Number(values.ms)];
const unknown = positionals.find((name) => scenarios.every((scenario) => scenario.name !== name));
if (unknown !== undefined || !(rounds > 0 && roundMs > 0)) {
  process.stderr.write(`Usage: npm run bench -- [${scenarios.map(({ name }) => name).join(" | ")}] …
  --rounds N   how often each figure is taken (3)
  --ms N       how long each time, in milliseconds (1000)
`);
  process.exit(2);
}

process.stdout.write(`${machineLine()} ${rounds} rounds of ${roundMs} ms for each figure.\n\n`);
for (const scenario of scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  // Each with processes of its own, which end with it.
  await using bench = await openBench();
  const rows = await compare(scenario, bench, { rounds, roundMs });
  process.stdout.write(tableOf(`${scenario.name}, ${scenario.engine}`, rows));
}
