// Reads a long result in pages, each its own short read: memory stays flat, and no read transaction stays open while a
// slow consumer takes its time, which would keep the log from being reset. Knows no table.
import { setImmediate as nextTurn } from "node:timers/promises";
import { retryWhileBusy } from "./busy.ts";

const pageRows = 500;

/** The last row that was read: the time that orders the rows, and the key that breaks ties. */
export interface Position {
  readonly at: number;
  readonly key: string;
}

/** Reads at most `limit` rows that come after a position. */
export type ReadPage<Row> = (after: Position, limit: number) => readonly Row[];

/**
 * All rows at or after `since`. Rows stored meanwhile are included when they come after the row being read.
 *
 * @param since milliseconds since the epoch
 */
export async function* readPages<Row>(
  since: number,
  read: ReadPage<Row>,
  position: (row: Row) => Position,
): AsyncGenerator<Row, void, undefined> {
  // No key is empty, so every row of the first millisecond comes after this.
  let after: Position = { at: since, key: "" };
  for (;;) {
    const from = after;
    const rows = await retryWhileBusy(() => read(from, pageRows));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = position(last);
    // A consumer that never waits must not starve the requests.
    await nextTurn();
  }
}
