// Reads tables in the order of their numbers, as far as they are complete when reading begins.
import { setImmediate as nextTurn } from "node:timers/promises";
import { ofKinds } from "../../kinds.ts";
import { pageRows } from "../pages.ts";
import { readSubmissionAnyway, submissionColumns } from "../rules/submission-row.ts";
import { subscriberTable } from "../rules/subscription.ts";
import { type ReadFrom, type ReadRows, StorageUnavailable, type Store } from "../store.ts";
import { auditTable } from "./audit.ts";
import { type Engine, only, type Value } from "./engine.ts";
import type { Table } from "./ranges.ts";

export function makeReadAll(engine: Engine) {
  const submissions = {
    name: "submission",
    columns: submissionColumns,
    number: "arrival",
    recordOf: readSubmissionAnyway,
  };
  const readSubmissions = prepareReader(engine, submissions, "received_at >= $3 AND kind = $4");
  const readers = {
    ...ofKinds((kind) => (from: ReadFrom) => readSubmissions(from, kind)),
    subscriber: prepareReader(engine, subscriberTable, "subscribed_at >= $3"),
    audit: prepareReader(engine, auditTable, "at >= $3"),
  };

  return {
    readAll: <Kind extends keyof ReadRows>(kind: Kind, from: ReadFrom) =>
      readers[kind](from) as AsyncIterable<readonly ReadRows[Kind][]>,
  } satisfies Partial<Store>;
}

/**
 * Prepares to read a table behind a number, page by page: a generator that gave rows one by one would take as long as the
 * reading. A page covers `pageRows` numbers, from the next row on, and is not empty. So gaps cost nothing, and none takes
 * long where wanted rows are rare.
 * @param wanted a further condition: `$3` is the earliest time
 */
function prepareReader<Row, Read>(
  engine: Engine,
  { name, columns, number, recordOf }: Omit<Table<Row, Read>, "numberOf">,
  wanted: string,
) {
  const { prepare, indexedBy } = engine;
  const lastComplete = engine.lastComplete(name, number);
  const next = prepare<{ first: number | null }>(`
    SELECT min(${number}) AS first FROM ${name} WHERE ${number} > $1 AND ${number} <= $2`);
  // By no other index: a damaged one may lack entries.
  const page = prepare<Row>(`
    SELECT ${columns} FROM ${name} ${indexedBy(null)}
    WHERE ${number} BETWEEN $1 AND $2 AND ${wanted} ORDER BY ${number}`);

  return async function* ({ after = 0, since = 0, passOver }: ReadFrom, ...values: Value[]) {
    const isPassedOver = (error: unknown) => passOver && error instanceof StorageUnavailable && error.isDamage;

    async function firstBehind(position: number, last: number): Promise<number | null> {
      try {
        return only(await engine.read(next(position, last))).first;
      } catch (error) {
        if (!isPassedOver(error)) throw error;
        // The next number, whether it has a row or not.
        return position < last ? position + 1 : null;
      }
    }

    /** The rows of a page. Where it cannot be read, those of its halves, down to single numbers. */
    async function readPage(from: number, to: number): Promise<readonly Row[]> {
      try {
        return await engine.read(page(from, to, since, ...values));
      } catch (error) {
        if (!isPassedOver(error)) throw error;
        if (from === to) passOver?.(from);
        if (from === to) return [];
        const middle = Math.floor((from + to) / 2);
        return [...(await readPage(from, middle)), ...(await readPage(middle + 1, to))];
      }
    }

    const end = await lastComplete();
    for (let position = after; ;) {
      const first = await firstBehind(position, end);
      if (first === null) return;
      position = Math.min(first + pageRows - 1, end);
      const rows = await readPage(first, position);
      if (rows.length > 0) yield rows.map(recordOf);
      // A consumer that never waits must not keep requests from being served.
      await nextTurn();
    }
  };
}
