// Group commit: jobs that arrive while others are being committed share the next transaction, and so one sync of the
// server's disk and one exchange of messages. Knows no table and no connection; what a batch does is its own business.
import { StorageUnavailable } from "../store.ts";

/**
 * Most jobs in one transaction. Each may lock an address, and all locks of a server share one table: 6,400 entries with
 * its usual settings, enough for a dozen processes at their busiest.
 */
const batchJobsMax = 128;

/** How long a job waits for its transaction to begin. A caller is still there to be told. */
const waitMs = 4_000;

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** On the scale of `performance.now()`. */
  readonly giveUpAt: number;
}

interface CommitQueueOptions<Job, Result> {
  /** Transactions at the same time. */
  readonly atOnce: number;
  /** What a job wants for itself alone; jobs that want the same never share a transaction. */
  contendedBy(job: Job): readonly string[];
  /** Commits some jobs together and answers each in its place; when it rejects, none of them is stored. */
  commit(jobs: readonly Job[]): Promise<readonly Result[]>;
}

export class CommitQueue<Job, Result> {
  readonly #options: CommitQueueOptions<Job, Result>;
  #waiting: Waiting<Job, Result>[] = [];
  #underWay = 0;
  #scheduled = false;
  #closed: PromiseWithResolvers<void> | undefined;
  #counts = { commits: 0, jobs: 0 };

  constructor(options: CommitQueueOptions<Job, Result>) {
    this.#options = options;
  }

  get counts() {
    return { ...this.#counts, waiting: this.#waiting.length };
  }

  /**
   * Commits a job with whichever others are there. When one of them fails, only that one is refused.
   *
   * @throws StorageUnavailable when the database cannot be used
   */
  run(job: Job): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    if (this.#closed === undefined) {
      this.#waiting.push({ job, resolve, reject, giveUpAt: performance.now() + waitMs });
      this.#schedule();
    } else reject(new StorageUnavailable("The store is closed."));
    return promise;
  }

  /** Takes no more jobs and resolves when those that wait are settled. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>();
    if (this.#isIdle) this.#closed.resolve();
    return this.#closed.promise;
  }

  get #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#underWay === 0;
  }

  // At the end of this turn of the event loop everything that came in with it is here; a single job waits for nobody.
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#underWay < this.#options.atOnce && this.#waiting.length > 0) void this.#turn(this.#takeBatch());
    });
  }

  async #turn(batch: readonly Waiting<Job, Result>[]): Promise<void> {
    this.#underWay += 1;
    await this.#commit(batch);
    this.#underWay -= 1;
    if (this.#waiting.length > 0) this.#schedule();
    if (this.#isIdle) this.#closed?.resolve();
  }

  #takeBatch(): Waiting<Job, Result>[] {
    const batch: Waiting<Job, Result>[] = [];
    const wanted = new Set<string>();
    const now = performance.now();
    this.#waiting = this.#waiting.filter((one) => {
      if (one.giveUpAt <= now) {
        one.reject(new StorageUnavailable("The database did not get round to it in time."));
        return false;
      }
      const wants = this.#options.contendedBy(one.job);
      if (batch.length === batchJobsMax || wants.some((want) => wanted.has(want))) return true;
      for (const want of wants) wanted.add(want);
      batch.push(one);
      return false;
    });
    return batch;
  }

  /** Never rejects: nobody would catch it. */
  async #commit(batch: readonly Waiting<Job, Result>[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const results = await this.#options.commit(batch.map(({ job }) => job));
      this.#counts.commits += 1;
      this.#counts.jobs += batch.length;
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length === 1 || error instanceof StorageUnavailable) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One of them is to blame, and none but that one shall pay.
      const half = Math.ceil(batch.length / 2);
      await this.#commit(batch.slice(0, half));
      await this.#commit(batch.slice(half));
    }
  }
}
