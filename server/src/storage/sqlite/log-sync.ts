// Waits until SQLite's log is on the disk, on another thread.
import { closeSync, fdatasync, fdatasyncSync } from "node:fs";

/**
 * How long another thread is waited for. The threads of Node's pool may all hang, in a folder of resumes that does not
 * answer for example. Then this thread waits for the disk itself.
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
    this.#own = open();
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
    const settle = (error: Error | null) => (error === null ? resolve() : reject(error));
    this.#poolIsBusy = true;
    fdatasync(this.#pooled, (error) => {
      this.#poolIsBusy = false;
      settle(error);
    });
    const timer = setTimeout(() => settle(failureOf(() => fdatasyncSync(this.#own))), poolMsMax);
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

function failureOf(work: () => void): Error | null {
  try {
    work();
    return null;
  } catch (error) {
    return error as Error;
  }
}
