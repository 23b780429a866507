// Writes the text of a scrape with prom-client, which also measures process and event loop. It is loaded at the first
// scrape: prom-client and what it needs are 93 files, which a service that is not scraped does without.
import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics, Registry } from "prom-client";
import { scraped, show, type MetricSources } from "./scraped.ts";
import type { Shown } from "./series.ts";

/** The event loop's lag is measured from one scrape to the next. The first scrape measures it for this long. */
const loopWatchedMs = 50;

/** Begins to measure process and event loop. Resolves to the function that writes a scrape. */
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
