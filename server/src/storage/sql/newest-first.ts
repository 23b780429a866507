// Pages of a table, newest first.
import type { Page, PageRequest } from "@submissions/shared/console";
import { endless, readPage } from "../ranges.ts";
import { type Bind, bindTo, type Engine, only, type Value } from "./engine.ts";

interface Table<Row, Read> {
  readonly columns: string;
  readonly name: string;
  readonly joins?: string;
  readonly number: string;
  numberOf(row: Row): number;
  recordOf(row: Row): Read;
}

/** The conditions of a list, in SQL. `index`: which one it walks along; absent: the table itself. */
type Wanted = (bind: Bind) => { readonly conditions: readonly string[]; readonly index?: string };

export function prepareNewestFirst<Row, Read>(
  { prepare, indexedBy, ranges, read, unprepared }: Engine,
  { columns, name, joins = "", number, numberOf, recordOf }: Table<Row, Read>,
): (wanted: Wanted, page: PageRequest) => Promise<Page<Read>> {
  const findLast = prepare<{ last: number }>(`SELECT coalesce(max(${number}), 0) AS last FROM ${name}`);
  return async (wanted, { after, ...page }) => {
    const readRange = (above: number, below: number, limit: number) => {
      const values: Value[] = [];
      const bind = bindTo(values);
      const { conditions, index } = wanted(bind);
      const all = [...conditions, `${number} > ${bind(above)}`, `${number} < ${bind(below)}`];
      const text = `SELECT ${columns} FROM ${name} ${indexedBy(index ?? null)} ${joins}
        WHERE ${all.join(" AND ")} ORDER BY ${number} DESC LIMIT ${bind(limit)}`;
      return read(unprepared<Row>(text, values, "index"));
    };
    const bounds = { above: 0, below: after ?? endless, descending: true };
    const last = async () => only(await read(findLast())).last;
    const { rows, next } = await readPage({ ...bounds, ranges, last, read: readRange, numberOf }, page);
    return { rows: rows.map(recordOf), next };
  };
}
