// Callers who wait until the provider has taken their receipt, each until the same deadline.

export interface WaitingCaller {
  /** Whether the provider took the mail. */
  readonly promise: Promise<boolean>;
  /** Ends the waiting. Later calls change nothing. */
  settle(taken: boolean): void;
}

/** After so many callers in a row who waited to the deadline in vain, no other waits until the provider takes a mail. */
const inVainMax = 10;

/** @param deadlineMs how long a caller waits; its promise then resolves to false */
export function openWaitingCallers(deadlineMs: number) {
  const waiting = new Set<(taken: boolean) => void>();
  let latest = { ms: 0, taken: true };
  let vainCount = 0;
  let hasEnded = false;

  /** @param otherwise what the promise resolves to after `ms` @param inVain called when it has waited that long */
  function wait(
    ms: number,
    otherwise: boolean,
    settled?: (taken: boolean) => void,
    inVain?: () => void,
  ): WaitingCaller {
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
    open(): WaitingCaller {
      const openedAt = performance.now();
      const settled = (taken: boolean) => void (latest = { ms: performance.now() - openedAt, taken });
      const caller = wait(deadlineMs, false, settled, () => (vainCount += 1));
      if (vainCount >= inVainMax) caller.settle(false);
      return caller;
    },

    /** Waits as long as the latest caller did, and resolves to the same: an answer must not show that it has no mail. */
    imitate: (): Promise<boolean> => wait(latest.ms, latest.taken).promise,

    /** The provider has taken a mail: callers wait again, if they had ceased to. */
    resume: () => void (vainCount = 0),

    /** From now on no caller waits: the promises of those who do resolve to false. */
    end(): void {
      hasEnded = true;
      for (const settle of waiting) settle(false);
    },
  };
}
