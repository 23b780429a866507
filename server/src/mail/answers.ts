// Answers that wait for a mail, each until the same deadline. All wait equally long, so the oldest ends first and one
// timer serves them all.

/** An answer that waits to hear whether the provider took its mail. */
export interface Answer {
  readonly promise: Promise<boolean>;
  /** Ends the waiting. Later calls change nothing. */
  settle(taken: boolean): void;
}

interface Waiting extends Answer {
  readonly openedAt: number;
}

export class Answers {
  readonly #deadlineMs: number;
  // In the order in which they were opened.
  readonly #waiting = new Set<Waiting>();
  #isTimed = false;
  #latest = { ms: 0, taken: true };

  /** @param deadlineMs after which an answer is false */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** How long the latest answer waited, in milliseconds, and what it was. */
  get latest(): { readonly ms: number; readonly taken: boolean } {
    return this.#latest;
  }

  open(): Answer {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting: Waiting = {
      promise,
      openedAt: performance.now(),
      settle: (taken) => {
        if (!this.#waiting.delete(waiting)) return;
        this.#latest = { ms: performance.now() - waiting.openedAt, taken };
        resolve(taken);
      },
    };
    this.#waiting.add(waiting);
    if (!this.#isTimed) this.#endOverdueIn(this.#deadlineMs);
    return waiting;
  }

  #endOverdueIn(ms: number): void {
    this.#isTimed = true;
    setTimeout(() => this.#endOverdue(), ms);
  }

  #endOverdue(): void {
    this.#isTimed = false;
    for (const waiting of this.#waiting) {
      const msLeft = waiting.openedAt + this.#deadlineMs - performance.now();
      // Rounded up: timers count whole milliseconds.
      if (msLeft > 0) return this.#endOverdueIn(Math.ceil(msLeft));
      waiting.settle(false);
    }
  }
}
