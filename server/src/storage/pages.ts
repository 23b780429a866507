// Reads a long result in pages, each its own short read: memory stays flat, and no read transaction stays open while a
// slow consumer takes its time, which would keep the engine from tidying up. Knows no table and no engine.
import { setImmediate as nextTurn } from "node:timers/promises";
import { emailKey } from "@submissions/shared/fields";
import type { StoredSubscriber } from "./records.ts";

const pageRows = 500;

/** The last row that was read: the time that orders the rows, and the key that breaks ties. */
export interface Position {
  readonly at: number;
  readonly key: string;
}

/** Where an inquiry or an application stands in the order of exports. */
export const receivedPosition = (row: { readonly receivedAt: number; readonly reference: string }): Position => ({
  at: row.receivedAt,
  key: row.reference,
});

/** Where a subscriber stands in the order of exports. */
export const subscribedPosition = (row: StoredSubscriber): Position => ({
  at: row.subscribedAt,
  key: emailKey(row.email),
});

/**
 * All rows at or after `since`. Rows stored meanwhile are included when they come after the row being read.
 *
 * @param since milliseconds since the epoch
 * @param read reads at most `limit` rows that come after a position
 */
export async function* readPages<Row>(
  since: number,
  read: (after: Position, limit: number) => Promise<readonly Row[]>,
  position: (row: Row) => Position,
): AsyncGenerator<Row, void, undefined> {
  // No key is empty, so every row of the first millisecond comes after this.
  let after: Position = { at: since, key: "" };
  for (;;) {
    const rows = await read(after, pageRows);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = position(last);
    // A consumer that never waits must not starve the requests.
    await nextTurn();
  }
}
