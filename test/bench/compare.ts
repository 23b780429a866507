// Compares the programs of a scenario: each measured in turn, forwards and backwards, so that a drift of the machine favours
// none. Ratios are of samples of the same round.
import { setTimeout as pause } from "node:timers/promises";
import { canStart, startEntrant, type EntrantName, type Ground, type Running } from "./entrants.ts";
import type { Generator } from "./load/generator.ts";
import { callsIn, type RequestKind } from "./load/requests.ts";
import type { BenchDatabase } from "./postgres.ts";
import type { Engine, Scenario } from "./scenarios.ts";
import { median, percentile } from "./statistics.ts";
import { forgetPeak, usedBy } from "./used.ts";

/** One row of the table. Figures are of a call; those that a machine does not count are null. */
export interface Row {
  readonly scenario: string;
  readonly title: string;
  readonly engine: Engine;
  readonly syncDelayMicros: number;
  readonly clients: number;
  readonly entrant: EntrantName;
  readonly request: RequestKind;
  readonly perSecond: number;
  /** Of the first entrant's; above 1 is faster. */
  readonly ratio: number;
  /** Milliseconds of a request. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly cpuMicros: number;
  readonly cpuRatio: number;
  /** Of the database server, if there is one. */
  readonly databaseCpuMicros: number | null;
  readonly writtenKb: number | null;
  readonly syncs: number | null;
  /** Memory over that of the idle process, for each request under way; null when they are few. */
  readonly memoryKb: number | null;
}

export interface Means {
  readonly ground: Ground;
  readonly generator: Generator;
  /** Makes a database for each program, on one server. */
  readonly newDatabase: () => Promise<BenchDatabase>;
  readonly rounds: number;
  readonly roundMs: number;
}

interface Sample extends Readonly<
  Record<"perSecond" | "cpuMicros" | "databaseCpuMicros" | "writtenKb" | "syncs" | "memoryKb", number>
> {
  readonly latencies: Float64Array;
}

interface Side {
  readonly entrant: EntrantName;
  readonly request: RequestKind;
  readonly running: Running;
  readonly database: BenchDatabase | null;
  readonly idleMb: number;
}

export async function compare(scenario: Scenario, means: Means): Promise<readonly Row[]> {
  const { clients, entries } = scenario;
  const programs = new Map<EntrantName, Omit<Side, "request" | "entrant">>();
  const sides: Side[] = [];
  for (const { entrant, request } of entries.filter((one) => canStart(one.entrant))) {
    const program = programs.get(entrant) ?? (await open(scenario, entrant, means));
    programs.set(entrant, program);
    sides.push({ entrant, request, ...program });
  }
  for (const side of sides) await warmUp(side, means);
  const rows: Row[] = [];
  for (const count of clients) rows.push(...(await compareAt(count, scenario, sides, means)));
  for (const { running } of programs.values()) await running.kill();
  return rows;
}

async function open(scenario: Scenario, entrant: EntrantName, { ground, newDatabase }: Means) {
  const database = scenario.engine === "PostgreSQL" ? await newDatabase() : null;
  // The peers make tables of their own.
  const url = database === null ? null : entrant === "service" ? database.url : await database.emptyUrl();
  const running = await startEntrant(ground, entrant, { databaseUrl: url });
  return { database, running, idleMb: usedBy(running.pid).residentMb };
}

const warmUpClients = 64;

/** Until its code is compiled, on a machine that is not too busy. */
const warmUp = ({ running, request }: Side, { generator, roundMs }: Means) =>
  generator.run({ urls: [running.url], kind: request, clients: warmUpClients, ms: 4 * roundMs });

async function compareAt(
  clients: number,
  scenario: Scenario,
  sides: readonly Side[],
  means: Means,
): Promise<readonly Row[]> {
  const samples = new Map<Side, Sample[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < means.rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      samples.get(side)?.push(await sample(side, clients, scenario, means));
    }
  }
  const base = samples.get(sides[0] as Side) ?? [];
  return sides.map((side) => rowOf(scenario, side, clients, samples.get(side) ?? [], base));
}

async function sample(side: Side, clients: number, scenario: Scenario, means: Means): Promise<Sample> {
  const { running, database, request, idleMb } = side;
  for (const one of [running.syncs, database?.syncs()]) one?.delay(scenario.syncDelayMicros);
  forgetPeak(running.pid);
  const before = await countersOf(side);
  const outcome = await means.generator.run({ urls: [running.url], kind: request, clients, ms: means.roundMs });
  const after = await countersOf(side);
  const peakMb = usedBy(running.pid).peakMb;
  for (const one of [running.syncs, database?.syncs()]) one?.delay(0);
  // What goes on behind the last answers is not the next program's.
  await pause(settleMs);
  const calls = outcome.latencies.length * callsIn(request);
  const each = (counter: keyof Counters) => (after[counter] - before[counter]) / calls;
  return {
    perSecond: calls / outcome.seconds,
    cpuMicros: each("cpuMicros"),
    databaseCpuMicros: each("databaseCpuMicros"),
    writtenKb: each("writtenBytes") / 1024,
    syncs: each("syncs"),
    memoryKb: clients < clientsMin ? Number.NaN : (Math.max(peakMb - idleMb, 0) * 1024) / clients,
    latencies: outcome.latencies,
  };
}

interface Counters {
  readonly cpuMicros: number;
  readonly databaseCpuMicros: number;
  readonly writtenBytes: number;
  readonly syncs: number;
}

/** NaN where it is not counted. */
async function countersOf({ running, database }: Side): Promise<Counters> {
  const { cpuMicros, writtenBytes } = usedBy(running.pid);
  return {
    cpuMicros,
    databaseCpuMicros: database?.cpuMicros() ?? Number.NaN,
    writtenBytes: writtenBytes + ((await database?.loggedBytes()) ?? 0),
    syncs: (running.syncs?.count() ?? Number.NaN) + (database?.syncs()?.count() ?? 0),
  };
}

/** What the process has grown by belongs to all that it has done; few requests would bear all of it. */
const clientsMin = 16;
const settleMs = 50;

function rowOf(
  { name, title, engine, syncDelayMicros }: Scenario,
  { entrant, request }: Side,
  clients: number,
  samples: readonly Sample[],
  base: readonly Sample[],
): Row {
  const of = (figure: keyof Omit<Sample, "latencies">) => median(samples.map((one) => one[figure]));
  const orNull = (figure: number) => (Number.isNaN(figure) ? null : figure);
  const ratio = (figure: "perSecond" | "cpuMicros") =>
    median(samples.map((one, round) => one[figure] / (base[round]?.[figure] ?? Number.NaN)));
  const latencies = Float64Array.from(samples.flatMap((one) => [...one.latencies])).toSorted();
  return {
    scenario: name,
    title,
    engine,
    syncDelayMicros,
    clients,
    entrant,
    request,
    perSecond: of("perSecond"),
    ratio: ratio("perSecond"),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    p999: percentile(latencies, 0.999),
    cpuMicros: of("cpuMicros"),
    cpuRatio: ratio("cpuMicros"),
    databaseCpuMicros: orNull(of("databaseCpuMicros")),
    writtenKb: orNull(of("writtenKb")),
    syncs: orNull(of("syncs")),
    memoryKb: orNull(of("memoryKb")),
  };
}
