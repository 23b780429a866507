// The text of a scrape, made by prom-client, and what it tells of process and event loop. Loaded at the first scrape:
// prom-client comes with 90 files, and a service that is not scraped does without.
import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics, Registry } from "prom-client";
import { scraped, show, type MetricSources } from "./scraped.ts";
import type { Shown } from "./series.ts";

/** The event loop's lag is measured since the scrape before. The first scrape waits for as much as this. */
const loopWatchedMs = 50;

/** Begins to watch process and event loop. Answers how to write a scrape. */
export async function openExposition(
  metrics: Iterable<Shown>,
  now: () => number,
): Promise<(sources: MetricSources) => Promise<string>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const metric of metrics) show(registry, metric);
  const ask = scraped(registry, now);
  await sleep(loopWatchedMs);
  return async (sources) => {
    await ask(sources);
    return registry.metrics();
  };
}
