// Waits until SQLite's log is on the disk, on another thread.
import { closeSync, fdatasync, fdatasyncSync } from "node:fs";

/**
 * How long a sync may take on a thread of Node's pool. All of its threads may hang, for example in a folder of resumes
 * that does not answer. Then this thread syncs.
 */
const poolMsMax = 1_000;

export class LogSync implements Disposable {
  // The kernel tells each descriptor once that a write failed, so no two calls may share one.
  readonly #pooled: number;
  readonly #own: number;
  #poolIsBusy = false;

  /** @param open opens the log; to be called before the first commit, or a failed write before that goes unnoticed */
  constructor(open: () => number) {
    this.#pooled = open();
    try {
      this.#own = open();
    } catch (error) {
      closeSync(this.#pooled);
      throw error;
    }
  }

  /** To read the log by. */
  get descriptor(): number {
    return this.#own;
  }

  /**
   * Resolves once everything that was written before is on the disk. One call at a time.
   *
   * @throws Error of the system when something is not
   */
  async wait(): Promise<void> {
    if (this.#poolIsBusy) return fdatasyncSync(this.#own);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#poolIsBusy = true;
    fdatasync(this.#pooled, (error) => {
      this.#poolIsBusy = false;
      if (error === null) resolve();
      else reject(error);
    });
    const timer = setTimeout(() => resolve(Promise.try(fdatasyncSync, this.#own)), poolMsMax);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#own);
    if (!this.#poolIsBusy) closeSync(this.#pooled);
  }
}
