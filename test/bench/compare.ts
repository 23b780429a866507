// Compares the service with the stock plugins of tRPC: each measured in turn, forwards and backwards, so that a drift of the
// machine favours neither. Ratios are of samples of the same round.
import { setTimeout as pause } from "node:timers/promises";
import type { Bench, ProgramName, Running } from "./bench.ts";
import type { RequestKind } from "./load/requests.ts";
import { median, percentile } from "./statistics.ts";
import { forgetPeak, usedBy } from "./used.ts";

export interface Scenario {
  /** What `npm run bench -- NAME` calls it. */
  readonly name: string;
  readonly engine: "SQLite" | "PostgreSQL";
  readonly clients: readonly number[];
  readonly requests: readonly RequestKind[];
}

export const scenarios: readonly Scenario[] = [
  { name: "inquiry", engine: "SQLite", clients: [1, 64], requests: ["inquiry", "typed inquiry"] },
  { name: "subscription", engine: "SQLite", clients: [64], requests: ["subscription"] },
  { name: "upload", engine: "SQLite", clients: [16], requests: ["typed upload of 1 MB"] },
  { name: "refusal", engine: "SQLite", clients: [64], requests: ["refusal"] },
  { name: "postgres", engine: "PostgreSQL", clients: [1, 64], requests: ["inquiry", "typed inquiry"] },
];

interface Sample {
  readonly perSecond: number;
  /** CPU time of a call, in µs. */
  readonly cpuMicros: number;
  /** That of the database server; NaN without one. */
  readonly databaseMicros: number;
  /** Memory over that of the idle process, in MB; NaN where the machine does not tell. */
  readonly memoryMb: number;
  readonly latencies: Float64Array;
}

/** One row of the table: medians of the samples, but for the waits, which are of all calls. */
export interface Row extends Omit<Sample, "latencies"> {
  readonly request: RequestKind;
  readonly clients: number;
  readonly program: ProgramName;
  /** Of the stock plugins; above 1 is faster. */
  readonly ratio: number;
  /** Above 1 is dearer. */
  readonly cpuRatio: number;
  /** Milliseconds of a request. */
  readonly p50: number;
  readonly p99: number;
}

interface Rounds {
  readonly rounds: number;
  readonly roundMs: number;
}

const names = ["stock", "service"] as const;

export async function compare(scenario: Scenario, bench: Bench, { rounds, roundMs }: Rounds): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const request of scenario.requests) {
    const sides = [];
    for (const name of names) {
      const running = await bench.start(name, scenario.engine);
      const idleMb = usedBy(running.pid).residentMb;
      // Until its code is compiled, on a machine that is not too busy.
      await bench.generator.run({ url: running.url, kind: request, clients: 64, ms: 4 * roundMs });
      sides.push({ name, running, idleMb, samples: new Map<number, Sample[]>() });
    }
    for (const clients of scenario.clients) {
      for (let round = 0; round < rounds; round += 1) {
        for (const { running, idleMb, samples } of round % 2 === 0 ? sides : sides.toReversed()) {
          const taken = await sample(running, idleMb, { kind: request, clients, ms: roundMs }, bench);
          samples.set(clients, [...(samples.get(clients) ?? []), taken]);
        }
      }
      const base = sides[0]?.samples.get(clients) ?? [];
      for (const { name, samples } of sides)
        rows.push({ request, clients, program: name, ...summarize(samples.get(clients) ?? [], base) });
    }
  }
  return rows;
}

const settleMs = 50;

async function sample(
  { url, pid, databasePid }: Running,
  idleMb: number,
  job: { readonly kind: RequestKind; readonly clients: number; readonly ms: number },
  { generator }: Bench,
): Promise<Sample> {
  const databaseMicros = () => (databasePid === null ? Number.NaN : usedBy(databasePid).cpuMicros);
  forgetPeak(pid);
  const [cpuBefore, databaseBefore] = [usedBy(pid).cpuMicros, databaseMicros()];
  const { latencies, seconds } = await generator.run({ url, ...job });
  const { cpuMicros, peakMb } = usedBy(pid);
  const databaseAfter = databaseMicros();
  // What goes on behind the last answers is not the next program's.
  await pause(settleMs);
  const calls = latencies.length;
  return {
    perSecond: calls / seconds,
    cpuMicros: (cpuMicros - cpuBefore) / calls,
    databaseMicros: (databaseAfter - databaseBefore) / calls,
    memoryMb: peakMb - idleMb,
    latencies,
  };
}

function summarize(samples: readonly Sample[], base: readonly Sample[]) {
  const of = (figure: keyof Omit<Sample, "latencies">) => median(samples.map((one) => one[figure]));
  const ratio = (figure: "perSecond" | "cpuMicros") =>
    median(samples.map((one, round) => one[figure] / (base[round]?.[figure] ?? Number.NaN)));
  const latencies = Float64Array.from(samples.flatMap((one) => [...one.latencies])).toSorted();
  return {
    perSecond: of("perSecond"),
    ratio: ratio("perSecond"),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMicros: of("cpuMicros"),
    cpuRatio: ratio("cpuMicros"),
    databaseMicros: of("databaseMicros"),
    memoryMb: of("memoryMb"),
  };
}
