// What is counted and measured, in the words of the Prometheus text format. Labels come from closed sets (a procedure, a
// route's pattern, a code), never from a caller's text: each new label value is a time series for ever.
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type * as prom from "prom-client";
import { keepAnswer, shareAnswer } from "../share-answer.ts";
import type { CommitCounts, Store } from "../storage/store.ts";
import { Durations } from "./durations.ts";

const require = createRequire(import.meta.url);
// By their files: the package as a whole loads 89 with 14 MB, most of them for what is measured from the first scrape on.
const Counter = require("prom-client/lib/counter.js") as typeof prom.Counter;
const Gauge = require("prom-client/lib/gauge.js") as typeof prom.Gauge;
const Histogram = require("prom-client/lib/histogram.js") as typeof prom.Histogram;
const Registry = require("prom-client/lib/registry.js") as typeof prom.Registry;

export type Metrics = ReturnType<typeof createMetrics>;

/** From half a millisecond to the time-out of requests, in seconds. */
const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** A JSON answer takes milliseconds, a slow upload tens of seconds. */
const requestSecondsBuckets = secondsBuckets.filter((bound) => bound >= 0.005);
const writesBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

const renderedMsMax = 1_000;

/** The event loop's lag is measured from one scrape to the next. The first scrape measures it for this long. */
const loopWatchedMs = 50;

/** Where numbers that are not counted here come from. One that fails leaves its gauges out of that scrape. */
interface MetricSources {
  readonly mailBacklog?: Store["mailBacklog"];
  /** When the newest whole backup was made; null: never. */
  readonly backupAt?: () => Promise<number | null>;
  readonly storeTotals?: () => CommitCounts;
  /** Bytes that are left on the disk of a place, by its name. */
  readonly freeBytes?: () => Readonly<Record<string, Promise<number>>>;
  /** Null: this process has nothing scanned, or has not asked the scanner yet. */
  readonly scannerReady?: () => boolean | null;
}

const makersOf = (registry: prom.Registry) => {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
  };
};

export function createMetrics(sources: MetricSources = {}, now: () => number = Date.now) {
  const registry = new Registry();
  const { counter, gauge, histogram } = makersOf(registry);
  const metrics = {
    submissions: counter(
      "submissions_total",
      "Submissions by procedure, door and code of the answer.",
      "procedure",
      "door",
      "code",
    ),
    stages: new Durations(
      {
        name: "submission_stage_seconds",
        help: "Time that submissions took, by procedure and stage.",
        buckets: secondsBuckets,
        labelNames: ["procedure", "stage"],
      },
      registry,
    ),
    requests: new Durations(
      {
        name: "http_request_duration_seconds",
        help: "Time to answer, by route and class of status.",
        buckets: requestSecondsBuckets,
        labelNames: ["route", "status"],
      },
      registry,
    ),
    /** By the route's pattern and the name in the table of faults. Each call of a batch counts. */
    refusals: counter("http_refusals_total", "Refused requests and calls, by route and fault.", "route", "fault"),
    /** The result is `taken`, `refused`, `later`, `in-doubt`, `missed` for some recipients, or `capped`: not stored. */
    mails: counter("mails_total", "Tries to deliver a mail, by kind and result.", "kind", "result"),
    mailSenderPaused: gauge(
      "mail_sender_paused",
      "1 while no mail is sent but probes, because the provider refuses or fails all of them.",
    ),
    /** The result is `noted`, `known` already, or `ignored`. */
    mailNews: counter(
      "mail_news_total",
      "The provider's news of addresses, by reason and what came of it.",
      "reason",
      "result",
    ),
    mailsReceived: counter("mails_received_total", "Mails that came in, by what came of each.", "result"),
    imapEvents: counter(
      "imap_events_total",
      "Mails of the mailbox of answers that were taken, or set aside because they cannot be stored; sign-ins that were refused, connections that broke.",
      "result",
    ),
    /** Of this process, by the name of the call. */
    operatorActions: counter("operator_actions_total", "What operators did in the console, by action.", "action"),
    /** The result is `delivered`, `failed` for good, or `later`. */
    webhookTries: counter("webhook_tries_total", "Tries to deliver to a webhook, by result.", "result"),
    retentionWaits: gauge("retention_waits_size", "Outdated submissions that are erased once an operator confirms it."),
    uploadsInFlight: gauge("uploads_in_flight", "Uploads being received now."),
    vaultReady: gauge("vault_ready", "0 while resumes cannot be kept, and uploads are refused."),
  };
  const commitSizes = histogram("store_commit_size", "Writes in a commit.", writesBuckets);
  const commitSeconds = histogram("store_commit_seconds", "Time that a commit took.", secondsBuckets);
  const ask = readAtScrape(registry, sources, now);
  const begin = keepAnswer(() => measureProcess(registry));

  async function scrape(): Promise<string> {
    await begin();
    await ask();
    return registry.metrics();
  }

  return {
    ...metrics,
    committed(writes: number, seconds: number): void {
      commitSizes.observe(writes);
      commitSeconds.observe(seconds);
    },
    /** The text of a scrape. It may be a second old: scrapes are expensive, and callers can ask for thousands at once. */
    render: shareAnswer(scrape, renderedMsMax, now),
    contentType: registry.contentType,
  };
}

async function measureProcess(registry: prom.Registry): Promise<void> {
  const { collectDefaultMetrics } = await import("prom-client");
  collectDefaultMetrics({ register: registry });
  await sleep(loopWatchedMs);
}

/** The metrics that are read from their sources before each scrape: one query for all gauges of the outbox. */
function readAtScrape(registry: prom.Registry, sources: MetricSources, now: () => number): () => Promise<void> {
  const { counter, gauge } = makersOf(registry);
  const secondsSince = (time: number | null) => (time === null ? 0 : Math.max(0, (now() - time) / 1000));
  const ofMails: readonly (readonly [prom.Gauge, (backlog: Awaited<ReturnType<Store["mailBacklog"]>>) => number])[] = [
    [gauge("mail_queue_size", "Mails waiting to be sent."), ({ queued }) => queued],
    [gauge("mail_failed_size", "Mails given up."), ({ failed }) => failed],
    [gauge("mail_in_doubt_size", "Mails that may have been sent and are not tried again."), ({ inDoubt }) => inDoubt],
    [
      gauge("mail_queue_oldest_age_seconds", "Age of the oldest mail that waits; 0 when none waits."),
      ({ oldestCreatedAt }) => secondsSince(oldestCreatedAt),
    ],
    [
      gauge("mail_queue_overdue_seconds", "How long the first due mail has been due; 0 when none is due."),
      ({ firstDueAt }) => secondsSince(firstDueAt),
    ],
  ];
  const ofStore: readonly (readonly [prom.Counter, keyof CommitCounts])[] = [
    [counter("store_commits_total", "Commits to stable storage."), "commits"],
    [counter("store_jobs_total", "Writes; several share a commit."), "jobs"],
    [counter("store_retries_total", "Commits tried again: another process held a lock."), "retries"],
  ];
  const waiting = gauge("store_jobs_waiting", "Writes that wait for a commit.");
  const backupAge = gauge("backup_age_seconds", "Age of the newest whole backup; absent where none was ever made.");
  const disks = gauge("disk_free_bytes", "Bytes left on the disk of a place.", "place");
  const scanner = gauge("scanner_ready", "0 while the scanner does not answer, and resumes wait for it.");

  return async () => {
    show(scanner, sources.scannerReady?.());
    const asked = Object.entries(sources.freeBytes?.() ?? {}).map(async ([place, answer]) => {
      const bytes = await answerIfAny(answer);
      if (bytes === undefined) disks.remove({ place });
      else disks.set({ place }, bytes);
    });
    const backlog = await answerIfAny(sources.mailBacklog?.());
    const backupAt = await answerIfAny(sources.backupAt?.());
    show(backupAge, backupAt && secondsSince(backupAt));
    await Promise.all(asked);
    for (const [one, of] of ofMails) show(one, backlog && of(backlog));
    // Last: the sizes of commits are counted meanwhile, and both are to agree.
    const totals = sources.storeTotals?.();
    for (const [total, name] of totals === undefined ? [] : ofStore) {
      total.reset();
      total.inc(totals?.[name]);
    }
    waiting.set(totals?.waiting ?? 0);
  };
}

/** Sets a gauge; without a value it is left out of the scrape. */
const show = (gauge: prom.Gauge, value: number | boolean | null | undefined): void =>
  value == null ? gauge.remove() : gauge.set(Number(value));

// The storage is unusable or the folder is gone; /readyz tells why. An old number would look like a healthy one.
const answerIfAny = async <T>(answer: Promise<T> | undefined): Promise<T | undefined> => answer?.catch(() => undefined);
