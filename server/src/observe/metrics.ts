// What is counted and measured, in the words of the Prometheus text format. Labels come from closed sets (a procedure, a
// route's pattern, a code), never from a caller's text: each new label value is a time series for ever.
import { setTimeout as sleep } from "node:timers/promises";
import type { Metric, Registry } from "prom-client";
import type { CommitCounts, Store } from "../storage/store.ts";
import { secondsBounds } from "./distribution.ts";
import { histogramOf, MetricTable, numberOf, type Line, type Shown } from "./series.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/** Up to the request time-out: a JSON answer takes milliseconds, a slow upload tens of seconds. */
const requestSecondsBounds = secondsBounds.filter((bound) => bound >= 0.005);

const renderedMsMax = 1_000;

/** The event loop's lag is measured from one scrape to the next. The first scrape measures it for this long. */
const loopWatchedMs = 50;

/** Makes a new set of metrics. Process and event loop are measured from the first scrape on. */
export function createMetrics(sources: MetricSources = {}, now: () => number = Date.now) {
  const table = new MetricTable();
  const { shown, ask } = scraped(sources, now);
  let rendered: { readonly at: number; readonly text: Promise<string> } | null = null;
  let opened: Promise<Registry> | null = null;
  async function scrape(): Promise<string> {
    opened ??= openRegistry([...table.shown, ...shown]);
    const registry = await opened.catch((error: unknown) => {
      // The next scrape tries again.
      opened = null;
      throw error;
    });
    await ask();
    return registry.metrics();
  }

  return {
    /** The code is `OK`, `SPAM` or that of the refusal. */
    submissions: table.counters({
      name: "submissions_total",
      help: "Submissions by procedure, door and code of the answer.",
      labelNames: ["procedure", "door", "code"],
    }),
    stages: table.histograms({
      name: "submission_stage_seconds",
      help: "Time that submissions took, by procedure and stage.",
      labelNames: ["procedure", "stage"],
      bounds: secondsBounds,
    }),
    /** By the route's pattern and `2xx` or the like. */
    requests: table.histograms({
      name: "http_request_duration_seconds",
      help: "Time to answer, by route and class of status.",
      labelNames: ["route", "status"],
      bounds: requestSecondsBounds,
    }),
    /** By the route's pattern and the name in the table of faults. Each call of a batch counts. */
    refusals: table.counters({
      name: "http_refusals_total",
      help: "Refused requests and calls, by route and fault.",
      labelNames: ["route", "fault"],
    }),
    /** The result is `taken`, `refused`, `later`, `in-doubt`, or `capped` for mails that were not stored. */
    mails: table.counters({
      name: "mails_total",
      help: "Tries to deliver a mail, by kind and result.",
      labelNames: ["kind", "result"],
    }),
    mailSenderPaused: table.level({
      name: "mail_sender_paused",
      help: "1 while no mail is sent but probes, because the provider refuses or fails all of them.",
    }),
    /** The result is `noted`, `known` already, or `ignored`. */
    mailNews: table.counters({
      name: "mail_news_total",
      help: "The provider's news of addresses, by reason and what came of it.",
      labelNames: ["reason", "result"],
    }),
    /** Of this process, by the name of the call. */
    operatorActions: table.counters({
      name: "operator_actions_total",
      help: "What operators did in the console, by action.",
      labelNames: ["action"],
    }),
    /** The result is `delivered`, `failed` for good, or `later`. */
    webhookTries: table.counters({
      name: "webhook_tries_total",
      help: "Tries to tell a webhook, by result.",
      labelNames: ["result"],
    }),
    uploadsInFlight: table.level({ name: "uploads_in_flight", help: "Uploads being received now." }),
    /** The text of a scrape. It may be a second old: scrapes are expensive, and callers can ask for thousands at once. */
    render(): Promise<string> {
      const at = now();
      // A clock that was set back must not keep an old text for hours.
      const isFresh = rendered !== null && at >= rendered.at && at < rendered.at + renderedMsMax;
      if (!isFresh || rendered === null) rendered = { at, text: scrape() };
      return rendered.text;
    },
    /** Of Prometheus' text format. */
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  };
}

/** Where the numbers come from. A source that fails leaves its gauges out of that scrape; it never fails the others. */
interface MetricSources {
  readonly mailBacklog?: Store["mailBacklog"];
  readonly storeTotals?: () => CommitCounts;
  /** Bytes that are left on the disk of a place, by its name. */
  readonly disks?: Readonly<Record<string, () => Promise<number>>>;
}

type MailBacklog = Awaited<ReturnType<Store["mailBacklog"]>>;

/**
 * The metrics that are read at a scrape instead of being counted. They show what `ask` was answered, which must be called
 * before each scrape: it takes one query for all gauges of the outbox.
 */
function scraped(sources: MetricSources, now: () => number) {
  let backlog: MailBacklog | undefined;
  let totals: CommitCounts | undefined;
  let disks: readonly Line[] = [];

  async function ask(): Promise<void> {
    totals = sources.storeTotals?.();
    const places = Object.entries(sources.disks ?? {}).map(async ([place, freeBytes]): Promise<readonly Line[]> => {
      const value = await answerOf(freeBytes);
      return value === undefined ? [] : [{ labels: { place }, value }];
    });
    const mails = answerOf(sources.mailBacklog);
    disks = (await Promise.all(places)).flat();
    backlog = await mails;
  }

  const secondsSince = (time: number | null) => (time === null ? 0 : Math.max(0, (now() - time) / 1000));
  const outbox = (name: string, help: string, of: (backlog: MailBacklog) => number) =>
    numberOf("gauge", { name, help }, () => backlog && of(backlog));
  const commits = (name: string, help: string, of: (totals: CommitCounts) => number) =>
    numberOf("counter", { name, help }, () => totals && of(totals));
  const shown: readonly Shown[] = [
    outbox("mail_queue_size", "Mails waiting to be sent.", ({ queued }) => queued),
    outbox("mail_failed_size", "Mails given up.", ({ failed }) => failed),
    outbox("mail_in_doubt_size", "Mails that may have been sent and are not tried again.", ({ inDoubt }) => inDoubt),
    outbox("mail_queue_oldest_age_seconds", "Age of the oldest mail that waits; 0 when none waits.", (mails) =>
      secondsSince(mails.oldestCreatedAt),
    ),
    outbox("mail_queue_overdue_seconds", "How long the first due mail has been due; 0 when none is due.", (mails) =>
      secondsSince(mails.firstDueAt),
    ),
    commits("store_commits_total", "Commits to stable storage.", (store) => store.commits),
    commits("store_jobs_total", "Writes; several share a commit.", ({ jobs }) => jobs),
    commits("store_retries_total", "Commits tried again: another process held a lock.", ({ retries }) => retries),
    numberOf("gauge", { name: "store_jobs_waiting", help: "Writes that wait for a commit." }, () => totals?.waiting),
    histogramOf({ name: "store_commit_size", help: "Writes in a commit." }, () => totals?.sizes),
    histogramOf({ name: "store_commit_seconds", help: "Time that a commit took." }, () => totals?.seconds),
    { name: "disk_free_bytes", help: "Bytes left on the disk of a place.", type: "gauge", lines: () => disks },
  ];
  return { shown, ask };
}

async function answerOf<T>(ask: (() => Promise<T>) | undefined): Promise<T | undefined> {
  try {
    return await ask?.();
  } catch {
    // The storage is unusable or the folder is gone; /readyz tells why. An old number would look like a healthy one.
    return undefined;
  }
}

/**
 * Begins to measure process and event loop, and resolves to what writes a scrape. prom-client and what it needs are 93
 * files, which a service that is not scraped does without.
 */
async function openRegistry(metrics: readonly Shown[]): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name, help, type, lines } of metrics) {
    // The registry uses no more of a metric than this.
    const metric = { name, get: async () => ({ name, help, type, values: [...lines()] }) };
    registry.registerMetric(metric as unknown as Metric);
  }
  await sleep(loopWatchedMs);
  return registry;
}
