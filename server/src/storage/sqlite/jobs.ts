// The transactions of the SQLite engine: jobs that come in together share one, and so one sync of the log.
import { CommitQueue, type RunOptions } from "../commit-queue.ts";
import { StorageUnavailable } from "../store.ts";
import { busyWaitMs } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { asUnavailable, isBusy } from "./errors.ts";

/** Most jobs in one transaction: with mails to settle among them it takes some milliseconds. */
const batchMax = 256;

type Job = () => unknown;

/** Runs a job in the next transaction, and again if that has to be undone because of another one. */
export type RunJob = <T>(job: () => T, options?: RunOptions) => Promise<T>;

/** What is done in each transaction before its jobs, and after them. */
interface Around {
  begin(): void;
  end(): void;
}

export function makeJobQueue(connection: SqliteConnection, { begin, end }: Around): CommitQueue<Job, unknown> {
  function transaction(jobs: readonly Job[]): readonly unknown[] {
    try {
      connection.begin();
      begin();
      const results = jobs.map((job) => job());
      end();
      connection.commit();
      return results;
    } catch (error) {
      undo(connection);
      throw error;
    }
  }

  return new CommitQueue<Job, unknown>({
    batchMax,
    busyMs: busyWaitMs,
    isBusy,
    asUnavailable,
    commit: async (jobs) => transaction(jobs),
  });
}

/** @throws StorageUnavailable when the disk refuses this as well; the next transaction tries it again */
function undo(connection: SqliteConnection): void {
  try {
    connection.rollback();
  } catch (error) {
    throw asUnavailable(error) ?? new StorageUnavailable("The transaction cannot be undone.", { cause: error });
  }
}
