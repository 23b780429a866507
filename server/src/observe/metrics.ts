// What is counted and measured, in the words of the Prometheus text format. Labels come from closed sets (a procedure, a
// route's pattern, a code), never from a caller's text: each new label value is a time series for ever.
import { Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { secondsBounds } from "./distribution.ts";
import { counters, histograms } from "./series.ts";
import { scraped, type MetricSources } from "./scraped.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/** Up to the request time-out: a JSON answer takes milliseconds, a slow upload tens of seconds. */
const requestSecondsBounds = secondsBounds.filter((bound) => bound >= 0.005);

const renderedMsMax = 1_000;

const statusClasses = ["0xx", "1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** `2xx` of 201. */
export const statusClass = (status: number): string => statusClasses[Math.trunc(status / 100)] ?? "0xx";

/** Makes a registry of its own with everything in it, process and event-loop metrics included. */
export function createMetrics(now: () => number = Date.now) {
  let rendered: { readonly at: number; readonly text: Promise<string> } | null = null;
  const registry = new Registry();
  const registers = [registry];
  let sources: MetricSources = {};
  collectDefaultMetrics({ register: registry });
  const ask = scraped(registry, now);
  const scrape = async () => {
    await ask(sources);
    return registry.metrics();
  };

  return {
    /** The code is `OK`, `SPAM` or that of the refusal. */
    submissions: counters(registry, {
      name: "submissions_total",
      help: "Submissions by procedure, door and code of the answer.",
      labelNames: ["procedure", "door", "code"],
    }),
    stages: histograms(registry, {
      name: "submission_stage_seconds",
      help: "Time that submissions took, by procedure and stage.",
      labelNames: ["procedure", "stage"],
      bounds: secondsBounds,
    }),
    /** By the route's pattern and the class of the status, `2xx`. */
    requests: histograms(registry, {
      name: "http_request_duration_seconds",
      help: "Time to answer, by route and class of status.",
      labelNames: ["route", "status"],
      bounds: requestSecondsBounds,
    }),
    /** By the route's pattern and the name in the table of faults. Each call of a batch counts. */
    refusals: counters(registry, {
      name: "http_refusals_total",
      help: "Refused requests and calls, by route and fault.",
      labelNames: ["route", "fault"],
    }),
    /** The result is `taken`, `refused`, `later`, or `capped` for mails that were not stored. */
    mails: counters(registry, {
      name: "mails_total",
      help: "Tries to deliver a mail, by kind and result.",
      labelNames: ["kind", "result"],
    }),
    mailSenderPaused: new Gauge({
      name: "mail_sender_paused",
      help: "1 while no mail is sent but probes, because the provider refuses or fails all of them.",
      registers,
    }),
    /** The result is `noted`, `known` already, or `ignored`. */
    mailNews: new Counter({
      name: "mail_news_total",
      help: "The provider's news of addresses, by reason and what came of it.",
      labelNames: ["reason", "result"],
      registers,
    }),
    operatorActions: counters(registry, {
      name: "operator_actions_total",
      help: "What operators did in the console, by action.",
      labelNames: ["action"],
    }),
    /** The result is `delivered`, `failed` for good, or `later`. */
    webhookTries: counters(registry, {
      name: "webhook_tries_total",
      help: "Tries to tell a webhook, by result.",
      labelNames: ["result"],
    }),
    uploadsInFlight: new Gauge({ name: "uploads_in_flight", help: "Uploads being received now.", registers }),
    /** Names the sources, which are made after the metrics. */
    attach: (given: MetricSources) => void (sources = given),
    /** The text of a scrape. It may be a second old: scrapes are expensive, and callers can ask for thousands at once. */
    render(): Promise<string> {
      const at = now();
      // A clock that was set back must not keep an old text for hours.
      const isFresh = rendered !== null && at >= rendered.at && at < rendered.at + renderedMsMax;
      if (!isFresh || rendered === null) rendered = { at, text: scrape() };
      return rendered.text;
    },
    contentType: registry.contentType,
  };
}
