// Answers to changes, kept for a while. A page whose answer was lost asks again with the same key, and gets the answer that it
// missed: no second token is made, and no second mail is sent. Another process of the service does not know them.
import { hash } from "node:crypto";
import type { Clock } from "../clock.ts";

const keptMs = 5 * 60_000;
const keptMax = 1_000;

interface Kept {
  readonly at: number;
  readonly answer: Promise<{ readonly ok: boolean }>;
}

export function keepAnswers(clock: Clock) {
  const kept = new Map<string, Kept>();

  /** The oldest come first. */
  function forgetOld(now: number): void {
    for (const [name, { at }] of kept) {
      if (kept.size < keptMax && now - at < keptMs && at <= now) return;
      kept.delete(name);
    }
  }

  /**
   * Makes a change, or returns the answer of the same change. A change that failed is made again.
   * @param what identifies the change: the operator, the key, the procedure and its input
   */
  return async function once<Answer extends { readonly ok: boolean }>(
    what: readonly unknown[],
    make: () => Promise<Answer>,
  ): Promise<Answer> {
    const name = hash("sha256", JSON.stringify(what));
    const now = clock.now();
    forgetOld(now);
    const before = kept.get(name);
    if (before !== undefined) return before.answer as Promise<Answer>;
    const answer = make();
    kept.set(name, { at: now, answer });
    const forget = () => void (kept.get(name)?.answer === answer && kept.delete(name));
    answer.then(({ ok }) => ok || forget(), forget);
    // An answer may hold a secret, so it goes in time even if no other change follows.
    setTimeout(forget, keptMs).unref();
    return answer;
  };
}
