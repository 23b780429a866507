// Does long work in pages, each its own short transaction: memory stays flat, other work gets its turn, and no read
// transaction stays open while a slow consumer takes its time, which would keep the engine from tidying up.
import { setTimeout as pause } from "node:timers/promises";

/** Rows, or arrival numbers, that one page looks at, whether they are wanted or not. */
export const pageRows = 500;

/** Reads rows page by page, each behind the last row of the page before. */
export async function* inPages<Row>(pageBehind: (last: Row | undefined) => Promise<readonly Row[]>) {
  for (let rows = await pageBehind(undefined); rows.length > 0; rows = await pageBehind(rows.at(-1))) yield rows;
}

/** Submissions that one transaction changes. */
export const changedAtOnce = 100;

/** Pause between two batches of changes that can wait, so that submissions are stored in between. */
const batchPauseMs = 2;

/** Changes submissions in batches, and answers what each batch answered. */
export async function inBatches<One, Result>(
  all: readonly One[],
  change: (batch: readonly One[]) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < all.length; from += changedAtOnce) {
    if (from > 0) await pause(batchPauseMs);
    results.push(await change(all.slice(from, from + changedAtOnce)));
  }
  return results;
}

/**
 * Changes rows in batches, in the order of their numbers. Rows that get into the same state meanwhile are not changed again.
 * @param change changes the next rows behind a number, and answers their numbers
 * @returns how many rows were changed
 */
export async function changeInBatches(change: (after: number) => Promise<readonly number[]>): Promise<number> {
  let all = 0;
  for (let after = 0; ; await pause(batchPauseMs)) {
    const batch = await change(after);
    if (batch.length === 0) return all;
    all += batch.length;
    after = Math.max(...batch);
  }
}
