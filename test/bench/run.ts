// `npm run bench`: the service beside what one would take off the shelf, as tables in Markdown.
// `npm run bench -- postgresql` measures one engine only.
import { cpus, platform } from "node:os";
import { parseArgs } from "node:util";
import { openBench } from "./bench.ts";
import { compare, type Row } from "./compare.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "3" }, ms: { type: "string", default: "1000" } },
});
const [rounds, ms] = [Number(values.rounds), Number(values.ms)];

const whole = (figure: number) => (Number.isNaN(figure) ? "–" : Math.round(figure).toLocaleString("en"));
const columns: Readonly<Record<string, (row: Row) => string | number>> = {
  Request: ({ kind }) => kind,
  Program: ({ name }) => ({ service: "this service", stock: "stock plugins of tRPC" })[name],
  Clients: ({ clients }) => clients,
  "Calls/s": ({ perSecond }) => whole(perSecond.value),
  Ratio: ({ perSecond }) => perSecond.ratio.toFixed(2),
  "p50 ms": ({ p50 }) => p50.toFixed(1),
  "p99 ms": ({ p99 }) => p99.toFixed(1),
  "CPU µs": ({ cpuMicros }) => whole(cpuMicros.value),
  "CPU ratio": ({ cpuMicros }) => cpuMicros.ratio.toFixed(2),
  "Idle MB": ({ idleMb }) => whole(idleMb),
};

const all = cpus();
console.log(`${all.length} × ${all[0]?.model.trim()}, ${platform()}, Node ${process.versions.node}.`);
console.log(`${rounds} rounds of ${ms} ms for each figure.`);
for (const engine of ["SQLite", "PostgreSQL"] as const) {
  if (positionals.length > 0 && !positionals.includes(engine.toLowerCase())) continue;
  // Each with processes of its own, which end with it.
  await using bench = await openBench();
  const rows = await compare(bench, { engine, clients: [1, 64], rounds, ms });
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const rule = `|---|---|${"--:|".repeat(Object.keys(columns).length - 2)}`;
  const body = rows.map((row) => line(Object.values(columns).map((write) => write(row))));
  console.log([`\n**${engine}**\n`, line(Object.keys(columns)), rule, ...body].join("\n"));
}
