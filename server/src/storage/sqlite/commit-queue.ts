// Group commit: jobs that arrive together share one transaction and so one sync of the disk. Each job is synchronous and
// is answered only after the commit. Knows no table; what a job does is its own business.
import type { CommitCounts } from "../commit-counts.ts";
import { StorageUnavailable } from "../store.ts";
import { busyPauseMs, busyWaitMs } from "./busy.ts";
import { asUnavailable, isBusy } from "./errors.ts";

/** Most jobs in one transaction, so that a burst never holds up the event loop for more than a few milliseconds. */
const batchJobsMax = 512;

/** What the queue needs of a connection. */
export interface Transactions {
  /** Takes the write lock. Throws when another process holds it. */
  begin(): void;
  commit(): void;
  /** Ends the transaction if the engine has not done so itself. */
  rollback(): void;
}

interface Job {
  readonly work: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** On the scale of `performance.now()`. */
  readonly giveUpAt: number;
  /** Set once a batch with this job in it failed: one of its jobs is to blame, and none but that one shall pay. */
  readonly alone: boolean;
}

export class CommitQueue {
  readonly #transactions: Transactions;
  #waiting: Job[] = [];
  #scheduled = false;
  #closed: PromiseWithResolvers<void> | undefined;
  #busyInARow = 0;
  #counts = { commits: 0, jobs: 0, busyTries: 0 };

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  get counts(): CommitCounts {
    return { ...this.#counts, waiting: this.#waiting.length };
  }

  /**
   * Runs `work` within the next transaction. It must be synchronous; it may run a second time after its first try was
   * rolled back. When it throws, only its own changes are undone.
   *
   * @throws StorageUnavailable when the database cannot be used, or stayed locked for `waitMs`; nothing is stored then
   */
  run<T>(work: () => T, waitMs: number = busyWaitMs): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#closed !== undefined) {
      reject(new StorageUnavailable("The store is closed."));
      return promise;
    }
    const giveUpAt = performance.now() + waitMs;
    this.#waiting.push({
      work,
      resolve: resolve as Job["resolve"],
      reject,
      giveUpAt,
      alone: false,
    });
    this.#schedule();
    return promise;
  }

  /** Takes no more jobs and resolves when those that wait are settled. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>();
    if (this.#waiting.length === 0) this.#closed.resolve();
    return this.#closed.promise;
  }

  // At the end of this turn of the event loop everything that came in with it is here; a single job waits for nobody.
  #schedule(pauseMs = 0): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (pauseMs === 0) setImmediate(() => this.#turn());
    else setTimeout(() => this.#turn(), pauseMs);
  }

  #turn(): void {
    this.#scheduled = false;
    const batch = this.#takeBatch();
    const locked = this.#commit(batch);
    if (this.#waiting.length > 0) this.#schedule(locked ? busyPauseMs(this.#busyInARow - 1) : 0);
    else this.#closed?.resolve();
  }

  #takeBatch(): Job[] {
    const firstAlone = this.#waiting.findIndex((job) => job.alone);
    const size = firstAlone === 0 ? 1 : Math.min(firstAlone < 0 ? Infinity : firstAlone, batchJobsMax);
    return this.#waiting.splice(0, size);
  }

  /** Answers whether the lock was held by somebody else. Never throws: nobody would catch it. */
  #commit(batch: readonly Job[]): boolean {
    let results: unknown[];
    try {
      this.#transactions.begin();
      this.#busyInARow = 0;
      results = batch.map((job) => job.work());
      this.#transactions.commit();
    } catch (error) {
      return this.#undo(batch, error);
    }
    this.#counts.commits += 1;
    this.#counts.jobs += batch.length;
    batch.forEach((job, index) => job.resolve(results[index]));
    return false;
  }

  #undo(batch: readonly Job[], error: unknown): boolean {
    const failure = this.#rollBack() ?? asUnavailable(error);
    if (isBusy(error)) {
      this.#waitForLock(batch, failure);
      return true;
    }
    if (failure !== null) for (const job of batch) job.reject(failure);
    else if (batch.length === 1) batch[0]?.reject(error);
    else this.#waiting.unshift(...batch.map((job) => ({ ...job, alone: true })));
    return false;
  }

  // A disk that refuses the ROLLBACK as well: the connection ends the transaction before the next one.
  #rollBack(): StorageUnavailable | null {
    try {
      this.#transactions.rollback();
      return null;
    } catch (error) {
      return asUnavailable(error) ?? new StorageUnavailable("The transaction cannot be undone.", { cause: error });
    }
  }

  #waitForLock(batch: readonly Job[], failure: unknown): void {
    this.#counts.busyTries += 1;
    this.#busyInARow += 1;
    const now = performance.now();
    for (const job of batch) if (job.giveUpAt <= now) job.reject(failure);
    this.#waiting.unshift(...batch.filter((job) => job.giveUpAt > now));
  }
}
