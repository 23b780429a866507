// Prints what becomes of mail after an outage, a day unless told otherwise, for docs/scale.md:
//   npm exec -- node -C @submissions/source test/support/scale/print-simulation.ts [OUTAGE-HOURS]
import { hour, simulateOutbox } from "./outbox-simulation.ts";

const common = { outageMs: Number(process.argv[2] ?? 24) * hour, afterMs: 72 * hour, seed: 20_261_121 };
for (const { arrivals, rate, processes } of [
  { arrivals: 1, rate: 2, processes: 1 },
  { arrivals: 1, rate: 10, processes: 1 },
  { arrivals: 1, rate: 1_000, processes: 1 },
  { arrivals: 1, rate: 100, processes: 16 },
  { arrivals: 10, rate: 100, processes: 1 },
  { arrivals: 10, rate: 1_000, processes: 1 },
]) {
  const outcome = await simulateOutbox({ ...common, arrivals, rate, processes });
  console.log(JSON.stringify({ arrivals, rate, processes, ...outcome }));
}
