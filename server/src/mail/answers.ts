// Answers that wait for a mail, each until the same deadline.

/** An answer that waits to hear whether the provider took its mail. */
export interface Answer {
  readonly promise: Promise<boolean>;
  /** Ends the waiting. Later calls change nothing. */
  settle(taken: boolean): void;
}

export class Answers {
  readonly #deadlineMs: number;
  readonly #waiting = new Set<(taken: boolean) => void>();
  #latest = { ms: 0, taken: true };
  #ended = false;

  /** @param deadlineMs after which an answer is false */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  open(): Answer {
    const openedAt = performance.now();
    return this.#open(this.#deadlineMs, false, (taken) => {
      this.#latest = { ms: performance.now() - openedAt, taken };
    });
  }

  /** Waits as long as the latest answer did, and resolves to the same. */
  imitate(): Promise<boolean> {
    const { ms, taken } = this.#latest;
    return this.#open(ms, taken).promise;
  }

  /** From now on no answer waits: those that do are false. */
  end(): void {
    this.#ended = true;
    for (const settle of this.#waiting) settle(false);
  }

  /** @param otherwise what the answer is after `ms` */
  #open(ms: number, otherwise: boolean, settled?: (taken: boolean) => void): Answer {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const settle = (taken: boolean) => {
      if (!this.#waiting.delete(settle)) return;
      clearTimeout(timer);
      settled?.(taken);
      resolve(taken);
    };
    const timer = setTimeout(settle, ms, otherwise);
    this.#waiting.add(settle);
    if (this.#ended) settle(false);
    return { promise, settle };
  }
}
