// `npm run bench -- growth`: what becomes slower as the table grows. A store is filled with made-up submissions and timed; a
// service on it is measured beside one on an empty store. SQLite; --rows names the largest table.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { seedStore } from "../../../server/dev/seed/seed.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import type { Means } from "../compare.ts";
import { startEntrant, type Running } from "../entrants.ts";
import { median } from "../statistics.ts";
import { usedBy } from "../used.ts";
import { type DeskTimes, timeDesk } from "./desk-times.ts";

export interface GrowthRow extends DeskTimes {
  readonly rows: number;
  /** Inquiries a second with 64 clients, and of those on an empty store in the same round. */
  readonly acceptedPerSecond: number;
  readonly acceptedRatio: number;
  readonly cpuRatio: number;
  /** From the start of the process until it is ready. */
  readonly readyMs: number;
  /** The readiness probe, answered by the running service. */
  readonly readinessMs: number;
}

const smallest = 10_000;
const clients = 64;
const yearDays = 365;
/** Submissions that are made searchable in one transaction. */
const indexedAtOnce = 1_000;

export async function measureGrowth(means: Means, rowsMax: number): Promise<readonly GrowthRow[]> {
  const sizes: number[] = [];
  for (let size = smallest; size <= rowsMax; size *= 10) sizes.push(size);
  const measured: GrowthRow[] = [];
  for (const rows of sizes) {
    const data = join(means.ground.folder, `growth-${rows}`);
    process.stderr.write(`growth: ${rows.toLocaleString("en")} rows …\n`);
    const desk = await fill(data, rows);
    measured.push({ rows, ...desk, ...(await measureService(means, data)) });
    await rm(data, { recursive: true });
  }
  return measured;
}

async function fill(data: string, rows: number): Promise<DeskTimes> {
  await mkdir(data);
  const location = { kind: "sqlite", file: join(data, "submissions.sqlite") } as const;
  const options = { count: rows, days: 3 * yearDays, now: Date.now() };
  await seedStore(location, options);
  await using store = await openStore(location);
  while ((await store.desk.indexNext(indexedAtOnce, () => false)) > 0);
  return await timeDesk(store);
}

async function measureService(means: Means, data: string) {
  const full = await startEntrant(means.ground, "service", { data });
  const empty = await startEntrant(means.ground, "service");
  for (const service of [full, empty]) await acceptFor(means, service);
  const rounds: { readonly full: Accepted; readonly empty: Accepted }[] = [];
  for (let round = 0; round < means.rounds; round += 1) {
    const first = await acceptFor(means, round % 2 === 0 ? full : empty);
    const second = await acceptFor(means, round % 2 === 0 ? empty : full);
    rounds.push(round % 2 === 0 ? { full: first, empty: second } : { full: second, empty: first });
  }
  const readinessMs = await probe(full.url);
  await Promise.all([full.kill(), empty.kill()]);
  // The second start: the first one had a day's housekeeping to do.
  const again = await startEntrant(means.ground, "service", { data });
  await again.kill();
  return {
    acceptedPerSecond: median(rounds.map((round) => round.full.perSecond)),
    acceptedRatio: median(rounds.map((round) => round.full.perSecond / round.empty.perSecond)),
    cpuRatio: median(rounds.map((round) => round.full.cpuMicros / round.empty.cpuMicros)),
    readyMs: again.readyMs,
    readinessMs,
  };
}

interface Accepted {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function acceptFor({ generator, roundMs }: Means, { url, pid }: Running): Promise<Accepted> {
  const before = usedBy(pid).cpuMicros;
  const { latencies, seconds } = await generator.run({ urls: [url], kind: "inquiry", clients, ms: roundMs });
  const cpuMicros = (usedBy(pid).cpuMicros - before) / latencies.length;
  return { perSecond: latencies.length / seconds, cpuMicros };
}

async function probe(url: string): Promise<number> {
  const took: number[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const begun = performance.now();
    await (await fetch(`${url}/readyz`)).text();
    took.push(performance.now() - begun);
  }
  return median(took);
}
