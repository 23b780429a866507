// Prints what becomes of mail after an outage of a day, for docs/scale.md:
//   npm exec -- node -C @submissions/source test/support/scale/print-simulation.ts [OUTAGE-HOURS]
import { hour, simulateOutbox, type Outcome, type Scenario } from "./outbox-simulation.ts";

const outageMs = Number(process.argv[2] ?? 24) * hour;
const common = { outageMs, afterMs: 72 * hour, seed: 20_261_121 };

const duration = (ms: number): string => {
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 2 * hour ? `${(ms / 60_000).toFixed(0)} min` : `${(ms / hour).toFixed(1)} h`;
};

const columns: Readonly<Record<string, (scenario: Scenario, outcome: Outcome) => string>> = {
  "mails/s in": ({ arrivals }) => String(arrivals),
  "limit/s": ({ rate }) => String(rate),
  "in a call": ({ batchMax = 500 }) => String(batchMax),
  processes: ({ processes }) => String(processes),
  backlog: (_, { backlog }) => backlog.toLocaleString("en"),
  "at the limit": ({ arrivals, rate }, { backlog }) => duration((backlog / (rate - arrivals)) * 1000),
  drained: (_, { drainMs }) => (drainMs === null ? "not in 72 h" : duration(drainMs)),
  "new p50": (_, { freshDelay }) => duration(freshDelay.p50),
  "new p99": (_, { freshDelay }) => duration(freshDelay.p99),
  "429s": (_, { refusedCalls }) => refusedCalls.toLocaleString("en"),
  "mails in them": (_, { refusedMails }) => refusedMails.toLocaleString("en"),
  questions: (_, { searches }) => searches.toLocaleString("en"),
  "failed, twice": (_, { failed, takenTwice }) => `${failed}, ${takenTwice}`,
};

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
console.log(row(Object.keys(columns)));
console.log(row(Object.keys(columns).map(() => "--:")));

const scenarios: readonly Omit<Scenario, keyof typeof common>[] = [
  { arrivals: 1, rate: 2, processes: 1 },
  { arrivals: 1, rate: 10, processes: 1 },
  { arrivals: 1, rate: 100, processes: 1 },
  { arrivals: 1, rate: 1_000, processes: 1 },
  { arrivals: 1, rate: 10, processes: 4 },
  { arrivals: 1, rate: 100, processes: 4 },
  { arrivals: 1, rate: 1_000, processes: 4 },
  { arrivals: 1, rate: 100, processes: 16 },
  { arrivals: 1, rate: 10, processes: 1, batchMax: 10 },
  { arrivals: 1, rate: 100, processes: 1, batchMax: 50 },
  { arrivals: 1, rate: 100, processes: 4, batchMax: 50 },
  { arrivals: 10, rate: 100, processes: 1 },
  { arrivals: 10, rate: 1_000, processes: 1 },
  { arrivals: 10, rate: 1_000, processes: 4 },
];
for (const each of scenarios) {
  const scenario = { ...common, ...each };
  const outcome = await simulateOutbox(scenario);
  if (outcome.errors > 0) throw new Error("The outbox failed.");
  console.log(row(Object.values(columns).map((column) => column(scenario, outcome))));
}
