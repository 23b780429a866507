// The transactions of the SQLite engine: jobs that come in together share one, and so one sync of the log.
import { Again, CommitQueue, type RunOptions } from "../commit-queue.ts";
import { type Acceptance, type CommitListener, type Entry, StorageUnavailable } from "../store.ts";
import { busyWaitMs } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { asUnavailable, isBusy } from "./errors.ts";

/** Most jobs in one transaction: with mails to settle among them it takes some milliseconds. */
const batchMax = 256;

/** Submissions of a transaction are accepted together; anything else is done by itself. */
type Job = Entry | (() => unknown);

/** Runs a job in the next transaction, and again if that has to be undone because of another one. */
export type RunJob = <T>(job: () => T, options?: RunOptions) => Promise<T>;

/** @param accept accepts submissions within a transaction */
export function makeJobQueue(
  connection: SqliteConnection,
  accept: (entries: readonly Entry[]) => readonly Acceptance[],
  onCommit: CommitListener | undefined,
): CommitQueue<Job, unknown> {
  function transaction(jobs: readonly Job[]): readonly unknown[] {
    try {
      connection.begin();
      const answers = accept(jobs.filter((job) => typeof job !== "function")).values();
      const results = jobs.map((job) => (typeof job === "function" ? job() : answers.next().value));
      connection.commit();
      return results;
    } catch (error) {
      undo(connection);
      const refusal = asUnavailable(error);
      if (refusal === null || !isBusy(error)) throw error;
      // Another process is in the way.
      return jobs.map(() => new Again(refusal));
    }
  }

  const commit = async (jobs: readonly Job[]) => transaction(jobs);
  return new CommitQueue<Job, unknown>({ batchMax, busyMs: busyWaitMs, asUnavailable, commit, onCommit });
}

/** @throws StorageUnavailable when the disk refuses this as well; the next transaction tries it again */
function undo(connection: SqliteConnection): void {
  try {
    connection.rollback();
  } catch (error) {
    throw asUnavailable(error) ?? new StorageUnavailable("The transaction cannot be undone.", { cause: error });
  }
}
