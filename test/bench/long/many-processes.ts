// `npm run bench -- processes`: several web processes and workers on one PostgreSQL. All of them, the database and the load
// share this machine, so that the shares of its processors tell what would saturate first.
import { setTimeout as pause } from "node:timers/promises";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { accept, giveBack, inquiry } from "../../contract/records.ts";
import type { Means } from "../compare.ts";
import { startEntrant } from "../entrants.ts";
import { percentile } from "../statistics.ts";
import { usedBy } from "../used.ts";

export interface WebRow {
  readonly webs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Submissions and settlements in a commit. */
  readonly writesInCommit: number;
  /** Processors in use: 1 is one of them, all the time. */
  readonly webCpus: number;
  readonly databaseCpus: number;
  /** CPU time of an inquiry in the web processes and in the database, in µs. */
  readonly webMicros: number;
  readonly databaseMicros: number;
}

export interface WorkerRow {
  readonly workers: number;
  readonly mails: number;
  readonly mailsPerSecond: number;
  readonly workerCpus: number;
  readonly databaseCpus: number;
}

const clients = 128;

export async function measureWebs(means: Means, webs: number): Promise<WebRow> {
  const { ground, generator, newDatabase, roundMs, rounds } = means;
  const database = await newDatabase();
  const start = (mode: "web" | "worker") =>
    startEntrant(ground, "service", { databaseUrl: database.url, env: { SERVICE_MODE: mode }, core: null });
  const worker = await start("worker");
  const running = await Promise.all(Array.from({ length: webs }, () => start("web")));
  const send = (ms: number) => generator.run({ urls: running.map(({ url }) => url), kind: "inquiry", clients, ms });
  const cpuMicros = () => running.reduce((sum, { pid }) => sum + usedBy(pid).cpuMicros, 0);
  const commitsOf = async () => {
    const metrics = await Promise.all(running.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    const sum = (name: string) =>
      metrics.reduce((all, text) => all + Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1]), 0);
    return { commits: sum("store_commits_total"), jobs: sum("store_jobs_total") };
  };
  await send(2 * roundMs);
  // The text of the metrics may be a second old.
  await pause(1_100);
  const before = { web: cpuMicros(), database: database.cpuMicros(), ...(await commitsOf()) };
  const outcome = await send(rounds * roundMs);
  const used = { web: cpuMicros() - before.web, database: database.cpuMicros() - before.database };
  await pause(1_100);
  const after = await commitsOf();
  for (const one of [worker, ...running]) await one.kill();
  const count = outcome.latencies.length;
  const sorted = outcome.latencies.toSorted();
  return {
    webs,
    perSecond: count / outcome.seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    writesInCommit: (after.jobs - before.jobs) / (after.commits - before.commits),
    webCpus: used.web / 1e6 / outcome.seconds,
    databaseCpus: used.database / 1e6 / outcome.seconds,
    webMicros: used.web / count,
    databaseMicros: used.database / count,
  };
}

/** How fast workers send what is due, claimed in leases that no other worker gets. */
export async function measureWorkers(means: Means, workers: number, submissions: number): Promise<WorkerRow> {
  const database = await means.newDatabase();
  const location = { kind: "postgres", url: database.url, replicaUrl: null, poolMax: 4 } as const;
  await using store = await openStore(location);
  const now = store.clock.now();
  const lease = { owner: "bench", until: now + 600_000 };
  const all = Array.from({ length: submissions }, (_, number) => inquiry(number, { receivedAt: now }));
  // In parts: what waits too long is refused.
  for (let first = 0; first < submissions; first += 1_000) {
    const stored = await Promise.all(all.slice(first, first + 1_000).map((one) => accept(store, one, { lease })));
    const mails = stored.flatMap((one) => one.mails);
    await giveBack(store, mails, lease, now);
  }
  const running = await Promise.all(
    Array.from({ length: workers }, () =>
      startEntrant(means.ground, "service", {
        databaseUrl: database.url,
        env: { SERVICE_MODE: "worker" },
        core: null,
      }),
    ),
  );
  const cpuMicros = () => running.reduce((sum, { pid }) => sum + usedBy(pid).cpuMicros, 0);
  const waiting = async () => (await store.mailBacklog()).queued;
  const before = { mails: await waiting(), cpu: cpuMicros(), database: database.cpuMicros() };
  const begun = performance.now();
  while ((await waiting()) > 0) await pause(50);
  const seconds = (performance.now() - begun) / 1_000;
  const used = { cpu: cpuMicros() - before.cpu, database: database.cpuMicros() - before.database };
  for (const one of running) await one.kill();
  return {
    workers,
    mails: before.mails,
    mailsPerSecond: before.mails / seconds,
    workerCpus: used.cpu / 1e6 / seconds,
    databaseCpus: used.database / 1e6 / seconds,
  };
}
