// The few figures that samples are told by.

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** @param sorted ascending */
export const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** A straight line through points by least squares, and how sure its slope is. */
export function lineThrough(points: readonly (readonly [x: number, y: number])[]): {
  readonly slope: number;
  /** Half of the slope's 95 % interval. */
  readonly error: number;
} {
  const count = points.length;
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / count;
  const [meanX, meanY] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const residuals = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, error: 1.96 * Math.sqrt(residuals / (count - 2) / spread) };
}
