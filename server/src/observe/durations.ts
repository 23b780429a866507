// Durations by two labels, for what is measured several times a request: a histogram that prom-client's registry shows. Its
// own makes texts of labels and bounds at each value, which takes 0.9 µs. Here a value takes two look-ups and an addition.
import type * as prom from "prom-client";

interface Description {
  readonly name: string;
  readonly help: string;
  /** Ascending upper bounds, in seconds. */
  readonly buckets: readonly number[];
  readonly labelNames: readonly [string, string];
}

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** How many values lay within each bound and above the one before; the last counts those above all bounds. */
  readonly counts: number[];
  sum: number;
}

export class Durations {
  readonly #description: Description;
  readonly #series = new Map<string, Map<string, Series>>();

  constructor(description: Description, registry: prom.Registry) {
    this.#description = description;
    const { name } = description;
    // The registry asks its metrics for no more than this, and its types for all of them.
    registry.registerMetric({ name, get: async () => this.#shown() } as unknown as prom.Histogram);
  }

  /** @param first, second values of the labels; they come from closed sets */
  observe(first: string, second: string, seconds: number): void {
    const { buckets } = this.#description;
    const series = this.#series.get(first)?.get(second) ?? this.#begin(first, second);
    let place = 0;
    while (place < buckets.length && seconds > buckets[place]!) place += 1;
    series.counts[place]! += 1;
    series.sum += seconds;
  }

  #begin(first: string, second: string): Series {
    const { buckets, labelNames } = this.#description;
    const labels = { [labelNames[0]]: first, [labelNames[1]]: second };
    const series = { labels, counts: [...buckets.map(() => 0), 0], sum: 0 };
    this.#series.getOrInsertComputed(first, () => new Map<string, Series>()).set(second, series);
    return series;
  }

  #shown() {
    const { name, help, buckets } = this.#description;
    const values = [...this.#series.values()]
      .flatMap((some) => [...some.values()])
      .flatMap(({ labels, counts, sum }) => {
        // Prometheus counts in each bucket what lies in those before it too.
        let count = 0;
        const ofBuckets = counts.map((more, place) => {
          count += more;
          return { metricName: `${name}_bucket`, labels: { le: buckets[place] ?? "+Inf", ...labels }, value: count };
        });
        const total = [["sum", sum] as const, ["count", count] as const];
        return [...ofBuckets, ...total.map(([of, value]) => ({ metricName: `${name}_${of}`, labels, value }))];
      });
    return { name, help, type: "histogram", values };
  }
}
