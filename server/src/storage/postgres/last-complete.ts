// How far a table is complete. Its numbers are drawn before their transactions commit, so a lower one may become visible
// after a higher one, and a reader that continues behind the higher one would miss it. An INSERT locks its table before it
// draws a number and keeps the lock until its row is visible: once the transactions have ended that hold this lock now, no
// row can appear any more below a number that is visible now. Transactions that write other tables hold up no reader.
import { setTimeout as pause } from "node:timers/promises";
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
 *
 * @param primary the server that `connections` is a standby of, if it is one: a standby does not know which transactions
 * are open
 * @returns a function that throws StorageUnavailable when transactions stay open, or the standby stays behind
 */
export function makeLastComplete(connections: Connections, primary: Connections | null) {
  return (table: string, number: string): (() => Promise<number>) => {
    const lastAndWriters = prepared<{ last: number; writers: readonly string[] }>(`
      SELECT (SELECT coalesce(max(${number}), 0) FROM ${table}) AS last,
        ARRAY (SELECT virtualtransaction ${writersOf(table)}) AS writers`);
    const stillOpen = prepared<{ names: string | null }>(
      `SELECT ${processNames} AS names ${writersOf(table)} AND virtualtransaction = ANY ($1::text[])`,
    );

    async function lastCompleteOn(server: Connections): Promise<number> {
      const [found] = await server.all(lastAndWriters);
      if (found === undefined) return 0;
      const { last, writers } = found;
      const namesOfOpen = async () => (await server.all(stillOpen, [writers]))[0]?.names ?? null;
      if (writers.length === 0 || (await isTrueInTime(async () => (await namesOfOpen()) === null))) return last;
      const names = await namesOfOpen();
      throw new StorageUnavailable(`A transaction that writes to the table ${table} stays open: ${names}.`);
    }

    return async () => {
      if (primary === null) return lastCompleteOn(connections);
      const [standby] = await connections.all(isStandby);
      if (standby?.is !== true) return lastCompleteOn(connections);
      const last = await lastCompleteOn(primary);
      const [written] = await primary.all(writtenTo);
      const hasCaughtUp = async () => (await connections.all(hasReplayed, [written?.position]))[0]?.has === true;
      if (await isTrueInTime(hasCaughtUp)) return last;
      throw new StorageUnavailable(`The replica stays more than ${waitMs / 1000} s behind its primary.`);
    };
  };
}

const isStandby = prepared<{ is: boolean }>("SELECT pg_is_in_recovery() AS is");

const writtenTo = prepared<{ position: string }>("SELECT pg_current_wal_lsn()::text AS position");

const hasReplayed = prepared<{ has: boolean }>("SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS has");

async function isTrueInTime(ask: () => Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + waitMs;
  while (!(await ask())) {
    if (performance.now() >= giveUpAt) return false;
    await pause(waitPauseMs);
  }
  return true;
}
