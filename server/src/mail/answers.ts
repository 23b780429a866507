// Answers that wait for a mail, each until the same deadline.

/** An answer that waits to hear whether the provider took its mail. */
export interface Answer {
  readonly promise: Promise<boolean>;
  /** Ends the waiting. Later calls change nothing. */
  settle(taken: boolean): void;
}

export class Answers {
  readonly #deadlineMs: number;
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
    const openedAt = performance.now();
    let waits = true;
    const settle = (taken: boolean) => {
      if (!waits) return;
      waits = false;
      clearTimeout(timer);
      this.#latest = { ms: performance.now() - openedAt, taken };
      resolve(taken);
    };
    const timer = setTimeout(settle, this.#deadlineMs, false);
    return { promise, settle };
  }
}
