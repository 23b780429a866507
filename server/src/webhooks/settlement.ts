// What is recorded of a delivery after a try. Pure: no store, no network.
import type { DeliverySettlement } from "../storage/webhook-store.ts";
import type { PostAnswer } from "./post.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays of the specification, cut so that the last try is 72 hours after the first. */
const delaysMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 20 * hour];
/** Added at random, so that deliveries that failed together do not come back together. */
const jitter = 0.02;

export const triesMax = delaysMs.length + 1;

/** A receiver may put a try off, but not for longer than the longest delay. */
const retryAfterMsMax = 20 * hour;

/**
 * @param attempts tries before this one
 * @param random 0 to 1
 */
export function afterTry(
  { attempts }: { readonly attempts: number },
  answer: PostAnswer,
  now: number,
  random: () => number = Math.random,
): DeliverySettlement {
  const words = "status" in answer ? `HTTP ${answer.status}` : answer.failure;
  if ("status" in answer) {
    // Redirects are not followed: they could lead anywhere.
    if (answer.status >= 200 && answer.status < 300) return { result: "delivered", at: now, answer: words };
    // Gone: the receiver asks not to be called any more.
    if (answer.status === 410) return { result: "failed", at: now, answer: words };
  }
  const delay = delaysMs[attempts];
  if (delay === undefined) return { result: "failed", at: now, answer: words };
  const asked = "status" in answer ? Math.min(answer.retryAfterMs ?? 0, retryAfterMsMax) : 0;
  const dueAt = now + Math.max(Math.round(delay * (1 + jitter * random())), asked);
  return { result: "later", dueAt, answer: words };
}
