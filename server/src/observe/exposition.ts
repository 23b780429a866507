// Writes the text of a scrape with prom-client, which also measures process and event loop. It is loaded at the first
// scrape: prom-client and what it needs are 93 files, which a service that is not scraped does without.
import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics, Registry, type Metric } from "prom-client";
import type { Shown } from "./series.ts";

/** The event loop's lag is measured from one scrape to the next. The first scrape measures it for this long. */
const loopWatchedMs = 50;

/** Begins to measure process and event loop. Resolves to the function that writes a scrape. */
export async function openExposition(metrics: readonly Shown[]): Promise<() => Promise<string>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name, help, type, lines } of metrics) {
    // The registry uses no more of a metric than this.
    const metric = { name, get: async () => ({ name, help, type, values: [...lines()] }) };
    registry.registerMetric(metric as unknown as Metric);
  }
  await sleep(loopWatchedMs);
  return () => registry.metrics();
}
