// Answers that wait for a mail, each until the same deadline.

/** An answer that waits to hear whether the provider took its mail. */
export interface Answer {
  readonly promise: Promise<boolean>;
  /** Ends the waiting. Later calls change nothing. */
  settle(taken: boolean): void;
}

/** After so many answers in a row that waited to the deadline in vain none waits until the provider takes a mail. */
const inVainMax = 10;

export class Answers {
  /** After it an answer is false. */
  readonly #deadlineMs: number;
  readonly #waiting = new Set<(taken: boolean) => void>();
  #latest = { ms: 0, taken: true };
  #inVain = 0;
  #ended = false;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  open(): Answer {
    const openedAt = performance.now();
    const settled = (taken: boolean) => void (this.#latest = { ms: performance.now() - openedAt, taken });
    const answer = this.#open(this.#deadlineMs, false, settled, () => (this.#inVain += 1));
    if (this.#inVain >= inVainMax) answer.settle(false);
    return answer;
  }

  /** Waits as long as the latest answer did, and resolves to the same. */
  imitate(): Promise<boolean> {
    const { ms, taken } = this.#latest;
    return this.#open(ms, taken).promise;
  }

  /** The provider has taken a mail: answers wait again, if they had ceased to. */
  resume(): void {
    this.#inVain = 0;
  }

  /** From now on no answer waits: those that do are false. */
  end(): void {
    this.#ended = true;
    for (const settle of this.#waiting) settle(false);
  }

  /** @param otherwise what the answer is after `ms` @param inVain called when it has waited that long */
  #open(ms: number, otherwise: boolean, settled?: (taken: boolean) => void, inVain?: () => void): Answer {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const settle = (taken: boolean) => {
      if (!this.#waiting.delete(settle)) return;
      clearTimeout(timer);
      settled?.(taken);
      resolve(taken);
    };
    const timer = setTimeout(() => {
      inVain?.();
      settle(otherwise);
    }, ms);
    this.#waiting.add(settle);
    if (this.#ended) settle(false);
    return { promise, settle };
  }
}
