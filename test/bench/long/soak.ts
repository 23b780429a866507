// `npm run bench -- soak`: the memory of a service under steady load, and whether it grows. --minutes names how long.
import type { Means } from "../compare.ts";
import { startEntrant } from "../entrants.ts";
import type { Job } from "../load/load-process.ts";
import { lineThrough } from "../statistics.ts";
import { usedBy } from "../used.ts";

export interface Soak {
  readonly minutes: number;
  readonly answers: number;
  /** Minutes since the start, resident megabytes. */
  readonly resident: readonly (readonly [minute: number, mb: number])[];
  /** Of the memory after the warm-up, in MB a minute, with half of its 95 % interval. */
  readonly slope: number;
  readonly error: number;
  /** Whether no growth can be told from chance, or it would take a day to add a tenth. */
  readonly isFlat: boolean;
}

const sliceMs = 5_000;
const clients = 32;
/** A day's references must suffice. */
const referencesMax = 800_000;
/** Caches fill and code is compiled in the first third. */
const warmUpShare = 1 / 3;

export async function soak({ ground, generator }: Means, minutes: number): Promise<Soak> {
  const service = await startEntrant(ground, "service");
  const steady = Math.min(500, referencesMax / (minutes * 60));
  const resident: [number, number][] = [];
  const begun = performance.now();
  const minutesNow = () => (performance.now() - begun) / 60_000;
  let answers = 0;
  for (let turn = 0; minutesNow() < minutes; turn += 1) {
    // Every fifth slice has uploads, subscriptions and refusals in it.
    const kind: Pick<Job, "kind"> & { readonly perSecond: number } =
      turn % 5 === 4 ? { kind: "mixed", perSecond: 100 } : { kind: "inquiry", perSecond: steady };
    const { latencies } = await generator.run({ urls: [service.url], ...kind, clients, ms: sliceMs });
    answers += latencies.length;
    resident.push([minutesNow(), usedBy(service.pid).residentMb]);
  }
  await service.kill();
  const settled = resident.filter(([minute]) => minute > minutes * warmUpShare);
  const { slope, error } = lineThrough(settled);
  const meanMb = settled.reduce((sum, [, mb]) => sum + mb, 0) / settled.length;
  const isFlat = slope - error <= 0 || slope * 24 * 60 < meanMb / 10;
  return { minutes, answers, resident, slope, error, isFlat };
}
