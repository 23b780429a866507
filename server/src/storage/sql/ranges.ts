// Walks along row numbers in ranges: a list whose rows are rare neither keeps other lists waiting nor takes for ever.
import type { Page, PageRequest } from "@submissions/shared/console";
import { pageLimit, pageLimitMax } from "../desk-store.ts";
import { type Bind, bindTo, type Engine, only, type Ranges, type Value } from "./engine.ts";

/** Above all row numbers. */
export const endless = Number.MAX_SAFE_INTEGER;

export interface Bounds {
  /** Row numbers between these, both excluded. */
  readonly above: number;
  readonly below: number;
  readonly descending: boolean;
}

interface RangeSearch<Row> extends Bounds {
  readonly ranges: Ranges;
  readonly isSearch?: boolean;
  last(): Promise<number>;
  /** Reads the wanted rows of a range in order, at most `limit`. */
  read(above: number, below: number, limit: number, isFirst: boolean): Promise<readonly Row[]>;
  /** The next page begins after that of the last row shown. */
  numberOf(row: Row): number;
}

/** Where a page ends. What is only counted may have more rows, and less time. */
export interface PageLimits extends Pick<PageRequest, "limit"> {
  readonly limitMax?: number;
  readonly workMsMax?: number;
}

export async function readPage<Row>(
  { ranges, isSearch = false, last, read, numberOf, ...bounds }: RangeSearch<Row>,
  { limit: asked = pageLimit, limitMax = pageLimitMax, workMsMax = ranges.workMsMax }: PageLimits,
): Promise<Page<Row>> {
  const limit = Math.max(1, Math.min(Math.trunc(asked), limitMax));
  const { descending } = bounds;
  let { above, below } = bounds;
  let width = isSearch ? ranges.searchWidth : ranges.width;
  if (below === endless && Number.isFinite(width)) below = (await last()) + 1;
  const rows: Row[] = [];
  const isAtEnd = () => above + 1 >= below;
  // One row more than the page has shows whether there are more.
  for (let worked = 0, isFirst = true; !isAtEnd() && rows.length <= limit; isFirst = false) {
    const edge = descending ? Math.max(above, below - width - 1) : Math.min(below, above + width + 1);
    const startedAt = performance.now();
    const [from, to] = descending ? [edge, below] : [above, edge];
    rows.push(...(await read(from, to, limit + 1 - rows.length, isFirst)));
    const took = performance.now() - startedAt;
    // The row at the edge itself was not looked at.
    if (descending) below = edge === above ? above : edge + 1;
    else above = edge === below ? below : edge - 1;
    worked += took;
    if (worked > workMsMax) break;
    width = ranges.widthAfter(width, took, isSearch);
  }
  const shown = rows.slice(0, limit);
  if (rows.length > limit) return { rows: shown, next: numberOf(shown.at(-1)!) };
  return { rows: shown, next: isAtEnd() ? null : descending ? below : above };
}

/** A table, and how its rows are read. They have ascending numbers. */
export interface Table<Row, Read> {
  readonly name: string;
  readonly columns: string;
  readonly joins?: string;
  readonly number: string;
  numberOf(row: Row): number;
  recordOf(row: Row): Read;
}

/** The conditions of a list, in SQL. `index`: which one it walks along; null and absent: the table itself. */
type Wanted = (bind: Bind) => { readonly conditions: readonly string[]; readonly index?: string | null };

/** Prepares pages of a table, newest first, of all rows or of those that are wanted. */
export function prepareNewestFirst<Row, Read>(
  { prepare, indexedBy, ranges, read, unprepared }: Engine,
  { columns, name, joins = "", number, numberOf, recordOf }: Table<Row, Read>,
): (page: PageRequest, wanted?: Wanted) => Promise<Page<Read>> {
  const findLast = prepare<{ last: number }>(`SELECT coalesce(max(${number}), 0) AS last FROM ${name}`);
  return async ({ after, ...page }, wanted = () => ({ conditions: [] })) => {
    const readRange = (above: number, below: number, limit: number) => {
      const values: Value[] = [];
      const bind = bindTo(values);
      const { conditions, index = null } = wanted(bind);
      const all = [...conditions, `${number} > ${bind(above)}`, `${number} < ${bind(below)}`];
      const text = `SELECT ${columns} FROM ${name} ${indexedBy(index)} ${joins}
        WHERE ${all.join(" AND ")} ORDER BY ${number} DESC LIMIT ${bind(limit)}`;
      return read(unprepared<Row>(text, values, "index"));
    };
    const bounds = { above: 0, below: after ?? endless, descending: true };
    const last = async () => only(await read(findLast())).last;
    const { rows, next } = await readPage({ ...bounds, ranges, last, read: readRange, numberOf }, page);
    return { rows: rows.map(recordOf), next };
  };
}
