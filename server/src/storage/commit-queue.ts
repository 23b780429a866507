// Group commit, for both engines: jobs that come in together share one transaction, and so one sync of the disk. There is
// one transaction at a time: with more of them each would be shared by fewer.
import { StorageUnavailable, type CommitCounts, type CommitListener } from "./store.ts";

export interface Commits<Job, Result> {
  /** Most jobs in one transaction. */
  readonly batchMax: number;
  /**
   * Commits some jobs together and answers each in its place. When it fails, none of them is stored, unless it throws
   * StorageUnavailable with another outcome. Any other error is a mistake in this program or in one of the jobs. May be
   * called again with the same jobs, or some of them.
   */
  commit(jobs: readonly Job[]): Promise<readonly (Result | TryAgain)[]>;
  readonly onCommit?: CommitListener | undefined;
  /** How long a job is tried again while another process is in the way. */
  readonly busyMs?: number;
}

/** The answer to a job that was not done because another process has what it needs. A later batch tries it again. */
export class TryAgain {
  readonly refusal: StorageUnavailable;

  /** @param refusal of a job that has no time left */
  constructor(refusal: StorageUnavailable) {
    this.refusal = refusal;
  }
}

/**
 * A round begins after the first turn of the event loop that brings no new job, and after this many turns at the latest. So
 * jobs that arrive while earlier requests are read share their commit. After a small batch it waits for no empty turn.
 */
const gatherTurnsMax = 8;
/** After a batch of so few jobs the next caller is probably alone too. */
const fewJobs = 2;
/** A job that was answered with {@link TryAgain} waits at most this long; a commit that begins sooner takes it along. */
const againMs = 25;
/** Pause after a batch of which none was done: SQLite blocks this thread for some milliseconds with each try. */
const busyPauseMs = 10;

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** All three by `performance.now()`. */
  readonly since: number;
  readonly deadline: number;
  /** When it waits for others no longer. */
  readonly due: number;
}

export interface RunOptions {
  /** By `performance.now()`. A job that has not begun by then is refused. */
  readonly deadline?: number;
  /** How long the job may wait for a commit that is made anyway. It waits for none when its deadline is nearer. */
  readonly waitMs?: number;
}

export class CommitQueue<Job, Result> {
  readonly #commits: Commits<Job, Result>;
  #waiting: Waiting<Job, Result>[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** When the next round begins, by `performance.now()`; -Infinity: it was decided, and no job can hurry it. */
  #roundAt = Infinity;
  #isCommitting = false;
  /** How many jobs the latest batch had. Infinity before the first one, so that it gathers. */
  #lastJobs = Infinity;
  #closed: PromiseWithResolvers<void> | undefined;
  #counts = { commits: 0, jobs: 0, retries: 0 };

  constructor(commits: Commits<Job, Result>) {
    this.#commits = commits;
  }

  get counts(): CommitCounts {
    return { ...this.#counts, waiting: this.#waiting.length };
  }

  /**
   * Commits a job with the others that are waiting.
   * @throws StorageUnavailable when the database cannot be used, the deadline has passed or the queue is closed
   */
  run(job: Job, { deadline = Infinity, waitMs = 0 }: RunOptions = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new StorageUnavailable("The store is closed."));
      const since = performance.now();
      const due = since + waitMs < deadline ? since + waitMs : since;
      this.#waiting.push({ job, resolve, reject, since, deadline, due });
      this.#beginBy(due, since);
    });
  }

  /** Takes no more jobs and resolves when those that wait are settled. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>();
    this.#beginIn(0);
    return this.#closed.promise;
  }

  /** Begins a round at an instant, unless one begins before. */
  #beginBy(due: number, now: number): void {
    if (due <= now) return this.#beginIn(0);
    if (due >= this.#roundAt) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#round, due - now);
    this.#roundAt = due;
  }

  #beginIn(pauseMs: number): void {
    if (this.#roundAt === -Infinity) return;
    clearTimeout(this.#timer);
    if (pauseMs === 0) this.#gather(this.#lastJobs <= fewJobs ? this.#waiting.length : 0, gatherTurnsMax);
    else this.#timer = setTimeout(this.#round, pauseMs);
    this.#roundAt = -Infinity;
  }

  #gather(before: number, turns: number): void {
    setImmediate(() => {
      const waiting = this.#waiting.length;
      if (waiting > before && waiting < this.#commits.batchMax && turns > 0) this.#gather(waiting, turns - 1);
      else this.#round();
    });
  }

  readonly #round = (): void => {
    this.#roundAt = Infinity;
    // The end of a commit begins the next one.
    if (!this.#isCommitting) void this.#turn();
  };

  async #turn(): Promise<void> {
    this.#isCommitting = true;
    const retries = this.#counts.retries;
    const batch = this.#takeBatch();
    this.#lastJobs = batch.length;
    await this.#commit(batch);
    this.#isCommitting = false;
    if (this.#waiting.length === 0) this.#closed?.resolve();
    else if (this.#counts.retries > retries) this.#beginIn(busyPauseMs);
    else this.#beginBy(this.#firstDue(), performance.now());
  }

  #takeBatch(): Waiting<Job, Result>[] {
    const now = performance.now();
    const batch: Waiting<Job, Result>[] = [];
    const left: Waiting<Job, Result>[] = [];
    for (const one of this.#waiting) {
      if (one.deadline <= now)
        one.reject(new StorageUnavailable("The database was busy until the caller stopped waiting."));
      else if (batch.length < this.#commits.batchMax) batch.push(one);
      else left.push(one);
    }
    this.#waiting = left;
    return batch;
  }

  #firstDue(): number {
    if (this.#closed !== undefined) return 0;
    return this.#waiting.reduce((first, { due }) => Math.min(first, due), Infinity);
  }

  /** Never rejects: no caller waits for it. */
  async #commit(batch: readonly Waiting<Job, Result>[]): Promise<void> {
    if (batch.length === 0) return;
    let results: readonly (Result | TryAgain)[];
    const begun = performance.now();
    try {
      results = await this.#commits.commit(batch.map(({ job }) => job));
    } catch (error) {
      return this.#refuse(batch, error);
    }
    let done = 0;
    for (const [index, one] of batch.entries()) {
      const result = results[index];
      if (result instanceof TryAgain) this.#tryAgain(one, result);
      else {
        one.resolve(result as Result);
        done += 1;
      }
    }
    if (done === 0) this.#counts.retries += 1;
    else {
      this.#counts.commits += 1;
      this.#counts.jobs += done;
      this.#commits.onCommit?.(done, (performance.now() - begun) / 1000);
    }
  }

  #tryAgain(one: Waiting<Job, Result>, { refusal }: TryAgain): void {
    const now = performance.now();
    if (Math.min(one.deadline, one.since + (this.#commits.busyMs ?? 0)) <= now) one.reject(refusal);
    else this.#waiting.push({ ...one, due: now + againMs * Math.random() });
  }

  async #refuse(batch: readonly Waiting<Job, Result>[], error: unknown): Promise<void> {
    if (error instanceof StorageUnavailable || batch.length === 1) {
      for (const { reject } of batch) reject(error);
      return;
    }
    // One of them is to blame. The halves are committed apart, until it is alone.
    const middle = Math.ceil(batch.length / 2);
    await this.#commit(batch.slice(0, middle));
    await this.#commit(batch.slice(middle));
  }
}
