// A histogram that costs an addition, for what happens with every submission. It knows nothing of Prometheus, so that
// the commit queue can have one; metrics.ts shows it.

export class Distribution {
  /** Ascending upper bounds. */
  readonly bounds: readonly number[];
  /** How many values lay within each bound and above the one before; the last counts those above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0).concat(0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let place = 0;
    while (place < bounds.length && value > bounds[place]!) place += 1;
    counts[place]! += 1;
    this.sum += value;
  }

  /** All of them together. They have the same bounds. */
  static sum(some: readonly Distribution[]): Distribution {
    const all = new Distribution(some[0]?.bounds ?? []);
    for (const { counts, sum } of some) {
      for (const [place, count] of counts.entries()) all.counts[place]! += count;
      all.sum += sum;
    }
    return all;
  }
}

/** Bounds for what takes from half a millisecond to the time-out of requests, in seconds. */
export const secondsBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
