// Compares the service with the stock plugins of tRPC: each measured in turn, forwards and backwards, so that a drift of the
// machine favours neither. Ratios are of samples of the same round.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Bench, Engine, ProgramName } from "./bench.ts";
import type { Job } from "./load.ts";

interface Sample {
  readonly perSecond: number;
  /** CPU time of a call, in µs; NaN where the machine does not tell. */
  readonly cpuMicros: number;
  readonly latencies: Float64Array;
}

export type Row = ReturnType<typeof summarize>;

const names = ["stock", "service"] as const;
export const paths = { inquiry: "/api/marketplace/inquiry", "typed inquiry": "/trpc/marketplace.inquiry" };

/** @param clients how many at once, each number by itself */
export async function compare(
  bench: Bench,
  { engine, clients, rounds, ms }: { engine: Engine; clients: readonly number[]; rounds: number; ms: number },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [kind, path] of Object.entries(paths)) {
    const sides: { name: ProgramName; url: string; pid: number; idleMb: number }[] = [];
    for (const name of names) {
      const running = await bench.start(name, engine);
      const url = running.url + path;
      sides.push({ name, url, pid: running.pid, idleMb: usedBy(running.pid).residentMb });
      // Until its code is compiled, on a machine that is not too busy.
      await bench.load.run({ url, clients: 64, ms: 4 * ms });
    }
    for (const count of clients) {
      const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]]));
      for (let round = 0; round < rounds; round += 1) {
        for (const { name, url, pid } of round % 2 === 0 ? sides : sides.toReversed())
          samples[name]!.push(await sample(bench, pid, { url, clients: count, ms }));
      }
      for (const { name, idleMb } of sides)
        rows.push(summarize({ kind, clients: count, name, idleMb }, samples[name]!, samples["stock"]!));
    }
  }
  return rows;
}

async function sample({ load }: Bench, pid: number, job: Job): Promise<Sample> {
  const before = usedBy(pid).cpuMicros;
  const { latencies, seconds } = await load.run(job);
  const cpuMicros = (usedBy(pid).cpuMicros - before) / latencies.length;
  // What goes on behind the last answers is not the next program's.
  await pause(50);
  return { perSecond: latencies.length / seconds, cpuMicros, latencies };
}

/** Medians of the samples, but for the waits, which are of all calls. */
function summarize(
  of: { kind: string; clients: number; name: ProgramName; idleMb: number },
  samples: readonly Sample[],
  base: readonly Sample[],
) {
  const median = (values: readonly number[]) => percentile(Float64Array.from(values), 0.5);
  const figure = (name: "perSecond" | "cpuMicros") => ({
    value: median(samples.map((one) => one[name])),
    ratio: median(samples.map((one, round) => one[name] / base[round]![name])),
  });
  const latencies = Float64Array.from(samples.flatMap((one) => [...one.latencies]));
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latencies, share)) as [number, number];
  return { ...of, perSecond: figure("perSecond"), cpuMicros: figure("cpuMicros"), p50, p99 };
}

export function percentile(values: Float64Array, share: number): number {
  const sorted = values.toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** What a process has used so far, as the kernel counts it. */
function usedBy(pid: number): { readonly cpuMicros: number; readonly residentMb: number } {
  if (process.platform !== "linux") return { cpuMicros: Number.NaN, residentMb: Number.NaN };
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  // In hundredths of a second.
  const ticks = Number(stat[11]) + Number(stat[12]);
  return { cpuMicros: ticks * 10_000, residentMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 };
}
