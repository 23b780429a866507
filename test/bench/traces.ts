// `node -C @submissions/source test/bench/traces.ts`: what traces cost, in CPU for each inquiry. The service that traces
// nothing runs twice, so that the difference between the two is the noise of the machine. Arguments: rounds (9),
// milliseconds a round (2000), and the folder of another checkout, whose service is then measured beside them.
import { setTimeout as pause } from "node:timers/promises";
import { CollectorStandIn } from "../support/collector-stand-in.ts";
import { openBench } from "./bench.ts";
import { startEntrant, type StartOptions } from "./entrants.ts";
import { median } from "./statistics.ts";
import { usedBy } from "./used.ts";

const rounds = Number(process.argv[2] ?? 9);
const roundMs = Number(process.argv[3] ?? 2_000);
const checkout = process.argv[4];
const settleMs = 500;

await using collector = await CollectorStandIn.open();
await using bench = await openBench({ rounds, roundMs });
const start = (options: StartOptions = {}) => startEntrant(bench.ground, "service", options);
const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
const services = [
  { name: "untraced", running: await start() },
  { name: "untraced again", running: await start() },
  ...(checkout === undefined ? [] : [{ name: "other checkout", running: await start({ checkout }) }]),
  {
    name: "one in twenty traced",
    running: await start({ env: { ...tracing, OTEL_TRACES_SAMPLER_ARG: "0.05" } }),
  },
  { name: "all traced", running: await start({ env: tracing }) },
];

/** Microseconds of CPU for each inquiry. */
async function sample({ running: { url, pid } }: (typeof services)[number]): Promise<number> {
  const before = usedBy(pid).cpuMicros;
  const { latencies } = await bench.generator.run({ urls: [url], kind: "inquiry", clients: 32, ms: roundMs });
  // Mails and spans of the last answers belong to this sample, and not to the next one.
  await pause(settleMs);
  // The stand-in remembers every span.
  collector.exports.length = 0;
  return (usedBy(pid).cpuMicros - before) / latencies.length;
}

const samples = new Map(services.map(({ name }): [string, number[]] => [name, []]));
for (const service of services) await sample(service);
for (let round = 0; round < rounds; round += 1) {
  // Each begins in its turn, so that neither a drift of the machine nor a neighbour favours any.
  const first = round % services.length;
  for (const service of [...services.slice(first), ...services.slice(0, first)])
    samples.get(service.name)?.push(await sample(service));
}

const base = samples.get("untraced") ?? [];
for (const [name, values] of samples) {
  const ratio = median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
  console.log(`${name.padEnd(21)} ${median(values).toFixed(1).padStart(6)} µs, × ${ratio.toFixed(3)}`);
}
