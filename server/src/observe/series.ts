// Counters and histograms with labels, for what happens with every request. A series is found by its label values without
// making an object or a text; prom-client's own would build a key of the labels each time. It does not import
// prom-client, which exposition.ts loads at the first scrape.
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

/** A number that goes up and down, or a state as 0 and 1. */
export class Level {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  set(value: number): void {
    this.#value = value;
  }
}

/** A metric as a scrape shows it. */
export interface Shown {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  lines(): Iterable<Line>;
}

interface Line {
  /** The name of the line, where it is not the metric's. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The metrics that are kept here, in the order in which they are shown. */
export class MetricTable implements Iterable<Shown> {
  readonly #shown: Shown[] = [];

  counters(description: Description): Series<Count> {
    const series = new Series(() => new Count());
    this.#show("counter", description, function* () {
      for (const [values, { value }] of series) yield { labels: labelsOf(description, values), value };
    });
    return series;
  }

  histograms({ bounds, ...description }: Description & { readonly bounds: readonly number[] }): Series<Distribution> {
    const series = new Series(() => new Distribution(bounds));
    this.#show("histogram", description, function* () {
      for (const [values, child] of series) yield* linesOf(description.name, child, labelsOf(description, values));
    });
    return series;
  }

  level(description: Description): Level {
    const level = new Level();
    this.#show("gauge", description, () => [{ labels: {}, value: level.value }]);
    return level;
  }

  [Symbol.iterator](): Iterator<Shown> {
    return this.#shown.values();
  }

  #show(type: Shown["type"], { name, help }: Description, lines: Shown["lines"]): void {
    this.#shown.push({ name, help, type, lines });
  }
}

/** A histogram that is kept elsewhere; null: there is none now. */
export const histogramOf = ({ name, help }: Description, of: () => Distribution | null): Shown => ({
  name,
  help,
  type: "histogram",
  lines() {
    const one = of();
    return one === null ? [] : linesOf(name, one, {});
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
