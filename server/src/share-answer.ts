/** All who ask while an answer is worked out, or within `ms` of its end, get the same one, unless the clock is set back. */
export function shareAnswer<T>(ask: () => Promise<T>, ms: number, now = () => performance.now()): () => Promise<T> {
  let latest: { readonly answer: Promise<T>; endedAt: number | null } | null = null;
  return () => {
    const age = latest === null || latest.endedAt === null ? 0 : now() - latest.endedAt;
    if (latest !== null && age >= 0 && age < ms) return latest.answer;
    const asked = { answer: ask(), endedAt: null as number | null };
    const end = () => void (asked.endedAt = now());
    asked.answer.then(end, end);
    latest = asked;
    return asked.answer;
  };
}

/** Asks once and keeps the answer. A failure is not kept: the next caller asks again. */
export function keepAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () =>
    (kept ??= ask().catch((error: unknown) => {
      kept = undefined;
      throw error;
    }));
}
