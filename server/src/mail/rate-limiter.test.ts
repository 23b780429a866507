import { describe, expect, test } from "vitest";
import type { MailOutcome } from "./mailer.ts";
import { RateLimiter } from "./rate-limiter.ts";

const now = 1_700_000_000_000;
const second = 1_000;
const taken: MailOutcome = { result: "taken", providerId: "p" };
const limited = (retryAfterMs?: number): MailOutcome => ({
  result: "later",
  error: "429",
  cause: "limit",
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

/** Sends all that is admitted, once a second, and answers how many mails each second brought. */
function sendFor(limiter: RateLimiter, from: number, seconds: number): number[] {
  return Array.from({ length: seconds }, (_, index) => {
    const admitted = limiter.admit(1_000_000, from + index * second);
    limiter.spend(admitted);
    return admitted;
  });
}

test("a provider that never complained gets all that is due", () => {
  const limiter = new RateLimiter();
  limiter.note([taken, taken], now);
  expect([limiter.admit(500, now), limiter.waitMs(now)]).toEqual([500, 0]);
});

describe("a provider that says we send too fast", () => {
  test("is left alone for as long as it asks, for the longest of its wishes, and for two minutes at most", () => {
    const limiter = new RateLimiter();
    limiter.note([taken, limited(3_000), limited(5_000)], now);
    expect(limiter.waitMs(now)).toBe(5_000);
    expect(limiter.admit(500, now + 4_999)).toBe(0);
    expect(limiter.admit(500, now + 5_000)).toBe(1);
    const other = new RateLimiter();
    other.note([limited(7_200_000)], now);
    expect(other.waitMs(now)).toBe(120_000);
  });

  test("is left alone for twice as long each time when it names no time, until it takes a mail", () => {
    const limiter = new RateLimiter();
    let at = now;
    const waits = Array.from({ length: 9 }, () => {
      limiter.note([limited()], at);
      const waitMs = limiter.waitMs(at);
      at += waitMs;
      return waitMs;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000, 120_000]);
    limiter.note([taken], at);
    limiter.note([limited()], at);
    expect(limiter.waitMs(at)).toBe(1_000);
  });

  test("counts once when several calls come back with it", () => {
    const limiter = new RateLimiter();
    limiter.note([limited(1_000)], now);
    limiter.note([limited(60_000)], now + 1);
    expect(limiter.waitMs(now)).toBe(1_000);
  });
});

describe("due mails", () => {
  test("begin slowly after a pause and twice as fast each second, until there is no limit", () => {
    const limiter = new RateLimiter();
    limiter.restart(now);
    const sent = sendFor(limiter, now, 13);
    expect(sent.slice(0, 4)).toEqual([1, 20, 40, 80]);
    expect(sent.at(-1)).toBe(1_000_000);
  });

  test("go half as fast after a complaint, and then only a little faster each second", () => {
    const limiter = new RateLimiter();
    limiter.restart(now);
    sendFor(limiter, now, 4);
    const complaint = now + 4 * second;
    limiter.note([limited(1_000)], complaint);
    const sent = sendFor(limiter, complaint + second, 16);
    expect(sent[0]).toBe(1);
    expect(sent[1]).toBeGreaterThanOrEqual(39);
    expect(sent[1]).toBeLessThanOrEqual(44);
    expect(sent[15]).toBeGreaterThan(sent[1]! * 1.8);
    expect(sent[15]).toBeLessThan(sent[1]! * 2.2);
  });

  test("never stop for good", () => {
    const limiter = new RateLimiter();
    for (let complaints = 0; complaints < 50; complaints += 1) limiter.note([limited(1)], now + complaints * second);
    const sent = sendFor(limiter, now + 50 * second, 60);
    expect(sent.reduce((sum, mails) => sum + mails)).toBeGreaterThan(10);
  });

  test("save up no more than a second's worth", () => {
    const limiter = new RateLimiter();
    limiter.restart(now);
    limiter.note([limited(1)], now);
    expect(limiter.admit(1_000, now + 2 * second)).toBeLessThanOrEqual(6);
  });
});

// As the outbox meets a provider that answers 429 until the mails of its latest call are made up for.
test.each([
  { arrivals: 1, rate: 2, slower: 3 },
  { arrivals: 1, rate: 10, slower: 1.5 },
  { arrivals: 10, rate: 100, slower: 1.5 },
])("a backlog goes out at nearly the provider's limit, and new mails are taken at once: %o", (each) => {
  const { arrivals, rate, slower } = each;
  const limiter = new RateLimiter();
  const begun = 3_600 * arrivals;
  const count = { waiting: begun, calls: 0, refused: 0, fresh: 0, freshAtOnce: 0 };
  let at = now;
  let allowance = rate;
  const send = (mails: number): boolean => {
    count.calls += 1;
    const isTaken = allowance > 0;
    if (isTaken) allowance -= mails;
    else count.refused += 1;
    limiter.note([isTaken ? taken : limited(Math.ceil((1 - allowance) / rate) * second)], at);
    return isTaken;
  };
  limiter.restart(at);
  for (; count.waiting > 0; at += 100) {
    allowance = Math.min(rate, allowance + rate / 10);
    if ((at - now) % (second / arrivals) === 0) {
      count.fresh += 1;
      if (limiter.waitMs(at) === 0 && send(1)) count.freshAtOnce += 1;
      else count.waiting += 1;
    }
    const admitted = limiter.admit(Math.min(count.waiting, 500), at);
    limiter.spend(admitted);
    if (admitted > 0 && send(admitted)) count.waiting -= admitted;
  }
  expect(at - now).toBeLessThan((slower * begun * second) / (rate - arrivals));
  expect(count.freshAtOnce).toBeGreaterThan(count.fresh / 2);
  expect(count.refused).toBeLessThan(count.calls / 10);
});
