// Answers that wait for a mail, each until the same deadline.

/** An answer that waits to hear whether the provider took its mail. */
export interface Answer {
  readonly promise: Promise<boolean>;
  /** Ends the waiting. Later calls change nothing. */
  settle(taken: boolean): void;
}

/** After so many answers in a row that waited to the deadline in vain none waits until the provider takes a mail. */
const inVainMax = 10;

/** @param deadlineMs after it an answer is false */
export function openAnswers(deadlineMs: number) {
  const waiting = new Set<(taken: boolean) => void>();
  let latest = { ms: 0, taken: true };
  let vainCount = 0;
  let hasEnded = false;

  /** @param otherwise what the answer is after `ms` @param inVain called when it has waited that long */
  function wait(ms: number, otherwise: boolean, settled?: (taken: boolean) => void, inVain?: () => void): Answer {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const settle = (taken: boolean) => {
      if (!waiting.delete(settle)) return;
      clearTimeout(timer);
      settled?.(taken);
      resolve(taken);
    };
    const timer = setTimeout(() => {
      inVain?.();
      settle(otherwise);
    }, ms);
    waiting.add(settle);
    if (hasEnded) settle(false);
    return { promise, settle };
  }

  return {
    open(): Answer {
      const openedAt = performance.now();
      const settled = (taken: boolean) => void (latest = { ms: performance.now() - openedAt, taken });
      const answer = wait(deadlineMs, false, settled, () => (vainCount += 1));
      if (vainCount >= inVainMax) answer.settle(false);
      return answer;
    },

    /** Waits as long as the latest answer did, and resolves to the same: an answer must not show that it has no mail. */
    imitate: (): Promise<boolean> => wait(latest.ms, latest.taken).promise,

    /** The provider has taken a mail: answers wait again, if they had ceased to. */
    resume: () => void (vainCount = 0),

    /** From now on no answer waits: those that do are false. */
    end(): void {
      hasEnded = true;
      for (const settle of waiting) settle(false);
    },
  };
}
