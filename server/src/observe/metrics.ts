// What is counted and measured, in the words of the Prometheus text format. Labels come from closed sets (a procedure, a
// route's pattern, a code), never from a caller's text: each new label value is a time series for ever.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { CommitCounts, Store } from "../storage/store.ts";

/** Asked at each scrape. A source that fails leaves its gauges out of that scrape; it never fails the others. */
interface MetricSources {
  readonly mailBacklog?: Store["mailBacklog"];
  readonly storeTotals?: () => Pick<CommitCounts, "commits" | "jobs">;
}

export interface Metrics {
  /** `code` is `OK` or the code of the refusal. */
  readonly submissions: Counter<"procedure" | "door" | "code">;
  /** Seconds. `route` is the pattern, `status` a class like `2xx`. */
  readonly requests: Histogram<"route" | "status">;
  /** Tries to deliver: `taken`, `refused`, `later`, or `capped` for mails that were not written at all. */
  readonly mails: Counter<"kind" | "result">;
  /** 1 while no mail is sent but probes: a wrong token, a provider that is down. */
  readonly mailSenderPaused: Gauge;
  /** The provider's news of addresses: `noted`, `known` already, or `ignored`. */
  readonly mailNews: Counter<"reason" | "result">;
  /** Tries to tell webhooks: `delivered`, `failed` for good, or `later`. */
  readonly webhookTries: Counter<"result">;
  readonly uploadsInFlight: Gauge;
  /** Adds sources that are made after the metrics. */
  attach(sources: MetricSources): void;
  /** The text of a scrape. It may be a second old: scrapes are expensive, and callers can ask for thousands at once. */
  render(): Promise<string>;
  readonly contentType: string;
}

/** Up to the request time-out: a JSON answer takes milliseconds, a slow upload tens of seconds. */
const requestSecondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const renderedMsMax = 1_000;

/** `2xx` of 201. */
export const statusClass = (status: number): string => `${Math.trunc(status / 100)}xx`;

/** Makes a registry of its own with everything in it, process and event-loop metrics included. */
export function createMetrics(now: () => number = Date.now): Metrics {
  let rendered: { readonly at: number; readonly text: Promise<string> } | null = null;
  const registry = new Registry();
  const registers = [registry];
  const sources: MetricSources[] = [];
  collectDefaultMetrics({ register: registry });
  const fill = [mailGauges(registry, now), storeCounters(registry)];
  const scrape = async () => {
    // prom-client would ask each gauge by itself; asking before the scrape takes one query for all of them.
    for (const source of sources) await Promise.all(fill.map((ask) => ask(source)));
    return registry.metrics();
  };

  return {
    submissions: new Counter({
      name: "submissions_total",
      help: "Submissions by procedure, door and code of the answer.",
      labelNames: ["procedure", "door", "code"],
      registers,
    }),
    requests: new Histogram({
      name: "http_request_duration_seconds",
      help: "Time to answer, by route and class of status.",
      labelNames: ["route", "status"],
      buckets: requestSecondsBuckets,
      registers,
    }),
    mails: new Counter({
      name: "mails_total",
      help: "Tries to deliver a mail, by kind and result.",
      labelNames: ["kind", "result"],
      registers,
    }),
    mailSenderPaused: new Gauge({
      name: "mail_sender_paused",
      help: "1 while no mail is sent but probes, because the provider refuses or fails all of them.",
      registers,
    }),
    mailNews: new Counter({
      name: "mail_news_total",
      help: "The provider's news of addresses, by reason and what came of it.",
      labelNames: ["reason", "result"],
      registers,
    }),
    webhookTries: new Counter({
      name: "webhook_tries_total",
      help: "Tries to tell a webhook, by result.",
      labelNames: ["result"],
      registers,
    }),
    uploadsInFlight: new Gauge({ name: "uploads_in_flight", help: "Uploads being received now.", registers }),
    attach: (more) => {
      sources.push(more);
    },
    render() {
      const at = now();
      // A clock that was set back must not keep an old text for hours.
      const isFresh = rendered !== null && at >= rendered.at && at < rendered.at + renderedMsMax;
      if (!isFresh || rendered === null) rendered = { at, text: scrape() };
      return rendered.text;
    },
    contentType: registry.contentType,
  };
}

type Fill = (source: MetricSources) => Promise<void>;

function mailGauges(registry: Registry, now: () => number): Fill {
  const registers = [registry];
  const queued = new Gauge({ name: "mail_queue_size", help: "Mails waiting to be sent.", registers });
  const failed = new Gauge({ name: "mail_failed_size", help: "Mails given up.", registers });
  const inDoubt = new Gauge({
    name: "mail_in_doubt_size",
    help: "Mails that may have been sent and are not tried again.",
    registers,
  });
  const oldest = new Gauge({
    name: "mail_queue_oldest_age_seconds",
    help: "Age of the oldest mail that waits; 0 when none waits.",
    registers,
  });
  return async (source) => {
    if (source.mailBacklog === undefined) return;
    try {
      const backlog = await source.mailBacklog();
      queued.set(backlog.queued);
      failed.set(backlog.failed);
      inDoubt.set(backlog.inDoubt);
      oldest.set(backlog.oldestCreatedAt === null ? 0 : Math.max(0, (now() - backlog.oldestCreatedAt) / 1000));
    } catch {
      // The storage is unusable; /readyz tells why. An old number would look like a healthy one.
      for (const gauge of [queued, failed, inDoubt, oldest]) gauge.remove();
    }
  };
}

function storeCounters(registry: Registry): Fill {
  const registers = [registry];
  const commits = new Counter({ name: "store_commits_total", help: "Commits to stable storage.", registers });
  const jobs = new Counter({ name: "store_jobs_total", help: "Writes; several share a commit.", registers });
  return async (source) => {
    if (source.storeTotals === undefined) return;
    const totals = source.storeTotals();
    // The store counts. A counter can only be set by starting over.
    commits.reset();
    commits.inc(totals.commits);
    jobs.reset();
    jobs.inc(totals.jobs);
  };
}
