// Answers to changes, kept for a while. A page whose answer was lost asks again with the same key, and gets the answer that it
// missed: no second token is made, and no second mail is sent. Another process of the service does not know them.
import { createHash } from "node:crypto";
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
   * Makes a change, or answers as the same change did. One that failed is made again.
   * @param what all that it is told by: who asks, with which key, for what
   */
  return async function once<Answer extends { readonly ok: boolean }>(
    what: readonly unknown[],
    make: () => Promise<Answer>,
  ): Promise<Answer> {
    const name = createHash("sha256").update(JSON.stringify(what)).digest("base64");
    const now = clock.now();
    forgetOld(now);
    const before = kept.get(name);
    if (before !== undefined) return before.answer as Promise<Answer>;
    const answer = make();
    kept.set(name, { at: now, answer });
    const forget = () => void (kept.get(name)?.answer === answer && kept.delete(name));
    answer.then(({ ok }) => ok || forget(), forget);
    // It may hold a secret: it is not kept until the next change.
    setTimeout(forget, keptMs).unref();
    return answer;
  };
}
