// Walks along row numbers in ranges that grow as long as they are quick, so that a list whose rows are rare neither
// keeps other lists waiting nor takes for ever.

/** Nearly every page is found in it. */
const usualWidth = 2_000;

/** A range that took less may be followed by a wider one. */
const quickMs = 4;

/** After this much work a page is answered as far as it is found. */
const workMsMax = 400;

export interface Bounds {
  /** Row numbers between these, both excluded. */
  readonly above: number;
  readonly below: number;
  readonly descending: boolean;
  /** Rows that are wanted. */
  readonly limit: number;
}

interface RangeSearch<Row> extends Bounds {
  /** Row numbers of the first range. Wider where each range costs something of its own. */
  readonly firstWidth?: number;
  /** Reads the wanted rows of a range in order, at most `limit`. */
  read(above: number, below: number, limit: number): Promise<Row[]>;
}

export interface Found<Row> {
  readonly rows: readonly Row[];
  /** Where to go on when the search ended before the end of the rows; null: it did not. */
  readonly stoppedAt: number | null;
}

export async function searchRanges<Row>(search: RangeSearch<Row>): Promise<Found<Row>> {
  const { descending, limit } = search;
  let { above, below } = search;
  const rows: Row[] = [];
  let width = search.firstWidth ?? usualWidth;
  for (let worked = 0; above + 1 < below && rows.length < limit;) {
    const edge = descending ? Math.max(above, below - width - 1) : Math.min(below, above + width + 1);
    const startedAt = performance.now();
    const [from, to] = descending ? [edge, below] : [above, edge];
    rows.push(...(await search.read(from, to, limit - rows.length)));
    const took = performance.now() - startedAt;
    // The row at the edge itself was not looked at.
    if (descending) below = edge === above ? above : edge + 1;
    else above = edge === below ? below : edge - 1;
    worked += took;
    if (worked > workMsMax && rows.length < limit) return { rows, stoppedAt: descending ? below : above };
    if (took < quickMs) width *= 4;
  }
  return { rows, stoppedAt: null };
}
