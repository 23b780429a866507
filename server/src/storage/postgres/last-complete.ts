// How far a table is complete. Its numbers are drawn before their transactions commit, so a lower one may become visible
// after a higher one, and a reader that continues behind the higher one would miss it. An INSERT locks its table before it
// draws a number and keeps the lock until its row is visible: once the transactions have ended that hold this lock now, no
// row can appear any more below a number that is visible now. Transactions that write other tables hold up no reader.
import { setTimeout as pause } from "node:timers/promises";
import { only } from "../sql/engine.ts";
import { StorageUnavailable } from "../store.ts";
import type { Connections } from "./connections.ts";
import { prepared, processNames } from "./statement.ts";

/** How long a reader waits. Our transactions end sooner, unless the server waits for a standby that is away. */
const waitMs = 5_000;
const waitPauseMs = 20;

const writersOf = (table: string) => `
  FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted AND relation = '${table}'::regclass
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Prepares to ask for the last number of a table below which no row can appear any more.
 * @returns a function that throws StorageUnavailable when transactions stay open, and on a standby
 */
export function prepareLastComplete(connections: Connections, table: string, number: string): () => Promise<number> {
  const lastAndWriters = prepared<{ last: number; writers: readonly string[]; standby: boolean }>(`
    SELECT pg_is_in_recovery() AS standby, (SELECT coalesce(max(${number}), 0) FROM ${table}) AS last,
      ARRAY (SELECT virtualtransaction ${writersOf(table)}) AS writers`);
  const stillOpen = prepared<{ names: string | null }>(`
    SELECT ${processNames} AS names ${writersOf(table)} AND virtualtransaction = ANY ($1::text[])`);

  return async () => {
    const { last, writers, standby } = only(await connections.all(lastAndWriters));
    // A standby does not know which transactions are open on its primary.
    if (standby) throw new StorageUnavailable("The database is a standby: read from its primary.");
    if (writers.length === 0) return last;
    const giveUpAt = performance.now() + waitMs;
    for (;;) {
      const { names } = only(await connections.all(stillOpen, [writers]));
      if (names === null) return last;
      if (performance.now() >= giveUpAt) {
        throw new StorageUnavailable(`A transaction that writes to the table ${table} stays open: ${names}.`);
      }
      await pause(waitPauseMs);
    }
  };
}
