// The few figures that samples are told by.

export const median = (values: readonly number[]): number => percentile(Float64Array.from(values).toSorted(), 0.5);

/** @param sorted ascending */
export const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
