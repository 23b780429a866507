// Counters and histograms with labels, for what happens with every request. A series is found by its label values without
// making an object or a text; prom-client's own would build a key of the labels each time. It is shown at a scrape only.
import type { Metric, MetricValue, Registry } from "prom-client";
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

/** Makes the counters of a metric and has them shown. */
export function counters(registry: Registry, description: Description): Series<Count> {
  const series = new Series(() => new Count());
  show(registry, "counter", description, function* () {
    for (const [values, { value }] of series) yield { labels: labelsOf(description, values), value };
  });
  return series;
}

/** Makes the histograms of a metric and has them shown. */
export function histograms(
  registry: Registry,
  { bounds, ...description }: Description & { readonly bounds: readonly number[] },
): Series<Distribution> {
  const series = new Series(() => new Distribution(bounds));
  show(registry, "histogram", description, function* () {
    for (const [values, child] of series) yield* linesOf(description.name, child, labelsOf(description, values));
  });
  return series;
}

/** Has a histogram shown that is kept elsewhere; null: there is none now. */
export const showHistogram = (registry: Registry, description: Description, of: () => Distribution | null): void =>
  show(registry, "histogram", description, function* () {
    const one = of();
    if (one !== null) yield* linesOf(description.name, one, {});
  });

type Line = MetricValue<string> & { readonly metricName?: string };
type Labels = Readonly<Record<string, string>>;

const labelsOf = ({ labelNames = [] }: Description, values: readonly string[]): Labels =>
  Object.fromEntries(labelNames.map((name, place) => [name, values[place] ?? ""]));

/** Prometheus counts in each bucket what lies in those before it too. */
function* linesOf(name: string, { bounds, counts, sum }: Distribution, labels: Labels): Generator<Line> {
  let count = 0;
  for (const [place, more] of counts.entries()) {
    count += more;
    yield { metricName: `${name}_bucket`, labels: { le: bounds[place] ?? "+Inf", ...labels }, value: count };
  }
  yield { metricName: `${name}_sum`, labels, value: sum };
  yield { metricName: `${name}_count`, labels, value: count };
}

/** The registry asks a metric for no more than this. */
function show(
  registry: Registry,
  type: "counter" | "histogram",
  { name, help }: Description,
  lines: () => Iterable<Line>,
): void {
  const get = async () => ({ name, help, type, aggregator: "sum", values: [...lines()] });
  const metric: { readonly name: string; get(): Promise<unknown> } = { name, get };
  registry.registerMetric(metric as unknown as Metric);
}
