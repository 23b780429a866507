// Changes of any number of rows, a batch in each transaction: however many have piled up, no transaction takes longer than it
// may, and nobody waits for more than a batch. For what may as well be done in part.

/** Most rows of one batch: far less than what a statement may take. */
export const batchRows = 10_000;

/** Changes batches until one is not full, and answers how many rows that were. */
export async function inBatches(change: () => Promise<number>): Promise<number> {
  let all = 0;
  for (;;) {
    const changed = await change();
    all += changed;
    if (changed < batchRows) return all;
  }
}
