// What is asked for at each scrape instead of being counted: the outbox, the commits, the disks. prom-client would ask
// each gauge by itself; asking before the scrape takes one query for all of them.
import { Counter, Gauge, type Metric, type Registry } from "prom-client";
import type { CommitCounts, Store } from "../storage/store.ts";
import { histogramOf, type Shown } from "./series.ts";

/** Where the numbers come from. A source that fails leaves its gauges out of that scrape; it never fails the others. */
export interface MetricSources {
  readonly mailBacklog?: Store["mailBacklog"];
  readonly storeTotals?: () => CommitCounts;
  /** Bytes that are left on the disk of a place, by its name. */
  readonly disks?: Readonly<Record<string, () => Promise<number>>>;
}

type Ask = (sources: MetricSources) => Promise<void>;

/** Registers a metric. The registry uses no more of it than this. */
export function show(registry: Registry, { name, help, type, lines }: Shown): void {
  const get = async () => ({ name, help, type, aggregator: "sum", values: [...lines()] });
  const metric: { readonly name: string; get(): Promise<unknown> } = { name, get };
  registry.registerMetric(metric as unknown as Metric);
}

/** Registers the metrics that are read at a scrape. The function it returns must be called before each scrape. */
export function scraped(registry: Registry, now: () => number): Ask {
  const asks = [outbox(registry, now), commits(registry), disks(registry)];
  return async (sources) => void (await Promise.all(asks.map((ask) => ask(sources))));
}

function outbox(registry: Registry, now: () => number): Ask {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const queued = gauge("mail_queue_size", "Mails waiting to be sent.");
  const failed = gauge("mail_failed_size", "Mails given up.");
  const inDoubt = gauge("mail_in_doubt_size", "Mails that may have been sent and are not tried again.");
  const oldest = gauge("mail_queue_oldest_age_seconds", "Age of the oldest mail that waits; 0 when none waits.");
  const overdue = gauge("mail_queue_overdue_seconds", "How long the first due mail has been due; 0 when none is due.");
  const secondsSince = (time: number | null) => (time === null ? 0 : Math.max(0, (now() - time) / 1000));
  return async ({ mailBacklog }) => {
    if (mailBacklog === undefined) return;
    try {
      const backlog = await mailBacklog();
      queued.set(backlog.queued);
      failed.set(backlog.failed);
      inDoubt.set(backlog.inDoubt);
      oldest.set(secondsSince(backlog.oldestCreatedAt));
      overdue.set(secondsSince(backlog.firstDueAt));
    } catch {
      // The storage is unusable; /readyz tells why. An old number would look like a healthy one.
      for (const one of [queued, failed, inDoubt, oldest, overdue]) one.remove();
    }
  };
}

function commits(registry: Registry): Ask {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const total = counter("store_commits_total", "Commits to stable storage.");
  const jobs = counter("store_jobs_total", "Writes; several share a commit.");
  const retries = counter("store_retries_total", "Commits tried again: another process held a lock.");
  const waiting = new Gauge({ name: "store_jobs_waiting", help: "Writes that wait for a commit.", registers });
  let totals: CommitCounts | null = null;
  const size = { name: "store_commit_size", help: "Writes in a commit." };
  show(
    registry,
    histogramOf(size, () => totals?.sizes ?? null),
  );
  const seconds = { name: "store_commit_seconds", help: "Time that a commit took." };
  show(
    registry,
    histogramOf(seconds, () => totals?.seconds ?? null),
  );
  return async ({ storeTotals }) => {
    totals = storeTotals?.() ?? null;
    if (totals === null) return;
    // The store counts. A counter can only be set by starting over.
    for (const one of [total, jobs, retries]) one.reset();
    total.inc(totals.commits);
    jobs.inc(totals.jobs);
    retries.inc(totals.retries);
    waiting.set(totals.waiting);
  };
}

function disks(registry: Registry): Ask {
  const free = new Gauge({
    name: "disk_free_bytes",
    help: "Bytes left on the disk of a place.",
    labelNames: ["place"],
    registers: [registry],
  });
  return async ({ disks: places = {} }) => {
    for (const [place, bytes] of Object.entries(places)) {
      try {
        free.set({ place }, await bytes());
      } catch {
        // A folder that is gone; /readyz says so.
        free.remove({ place });
      }
    }
  };
}
