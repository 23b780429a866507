// Counters and histograms with labels, for what happens with every request. A series is found by its label values without
// making an object or a text; prom-client's own would build a key of the labels each time. It does not import
// prom-client, which metrics.ts loads at the first scrape.
import { Distribution } from "./distribution.ts";

/** What a metric is called, and what tells its series apart: at most three labels. */
interface Description {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

export class Series<Child> {
  readonly #make: () => Child;
  readonly #tree = new Map<string, Map<string, Map<string, Child>>>();

  constructor(make: () => Child) {
    this.#make = make;
  }

  /** The series with these label values. They come from closed sets. */
  of(first = "", second = "", third = ""): Child {
    const branch = this.#tree.getOrInsertComputed(first, newMap);
    return branch.getOrInsertComputed(second, newMap).getOrInsertComputed(third, this.#make);
  }

  *[Symbol.iterator](): Iterator<readonly [labels: readonly string[], child: Child]> {
    for (const [first, branch] of this.#tree) {
      for (const [second, twig] of branch) for (const [third, child] of twig) yield [[first, second, third], child];
    }
  }
}

const newMap = <Value>() => new Map<string, Value>();

export class Count {
  value = 0;

  add(): void {
    this.value += 1;
  }
}

/** A metric as a scrape shows it. */
export interface Shown extends Description {
  readonly type: "counter" | "gauge" | "histogram";
  lines(): Iterable<Line>;
}

export interface Line {
  /** The name of the line, where it is not the metric's. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The metrics that are kept here. */
export class MetricTable {
  /** In the order in which they are shown. */
  readonly shown: Shown[] = [];

  counters(description: Description): Series<Count> {
    const series = new Series(() => new Count());
    this.shown.push({
      ...description,
      type: "counter",
      *lines() {
        for (const [values, { value }] of series) yield { labels: labelsOf(description, values), value };
      },
    });
    return series;
  }

  histograms({ bounds, ...description }: Description & { readonly bounds: readonly number[] }): Series<Distribution> {
    const series = new Series(() => new Distribution(bounds));
    this.shown.push({
      ...description,
      type: "histogram",
      *lines() {
        for (const [values, child] of series) yield* linesOf(description.name, child, labelsOf(description, values));
      },
    });
    return series;
  }

  /** A number that goes up and down, or a state as 0 and 1. */
  level(description: Description): { value: number } {
    const level = { value: 0 };
    this.shown.push(numberOf("gauge", description, () => level.value));
    return level;
  }
}

/** A number that is kept elsewhere; undefined: there is none now. */
export const numberOf = (type: "counter" | "gauge", description: Description, of: () => number | undefined): Shown => ({
  ...description,
  type,
  *lines() {
    const value = of();
    if (value !== undefined) yield { labels: {}, value };
  },
});

/** A histogram that is kept elsewhere; undefined: there is none now. */
export const histogramOf = (description: Description, of: () => Distribution | undefined): Shown => ({
  ...description,
  type: "histogram",
  *lines() {
    const histogram = of();
    if (histogram !== undefined) yield* linesOf(description.name, histogram, {});
  },
});

const labelsOf = ({ labelNames = [] }: Description, values: readonly string[]): Line["labels"] =>
  Object.fromEntries(labelNames.map((name, place) => [name, values[place] ?? ""]));

/** Prometheus counts in each bucket what lies in those before it too. */
function* linesOf(name: string, { bounds, counts, sum }: Distribution, labels: Line["labels"]): Generator<Line> {
  let count = 0;
  for (const [place, more] of counts.entries()) {
    count += more;
    yield { metricName: `${name}_bucket`, labels: { le: bounds[place] ?? "+Inf", ...labels }, value: count };
  }
  yield { metricName: `${name}_sum`, labels, value: sum };
  yield { metricName: `${name}_count`, labels, value: count };
}
