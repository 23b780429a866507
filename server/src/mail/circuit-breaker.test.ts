import { describe, expect, test } from "vitest";
import type { MailOutcome } from "./mailer.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

const now = 1_700_000_000_000;
const taken: MailOutcome = { result: "taken", providerId: "p" };
const refused: MailOutcome = { result: "refused", error: "no such recipient", inactiveRecipient: false };
const down = (retryAfterMs?: number): MailOutcome => ({
  result: "later",
  error: "down",
  cause: "provider",
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const denied: MailOutcome = { result: "later", error: "wrong token", cause: "configuration" };
const unwelcome: MailOutcome = { result: "later", error: "greylisted", cause: "recipient" };

function opened(): CircuitBreaker {
  const breaker = new CircuitBreaker();
  expect(breaker.note([denied, denied], now, false)).toEqual({ opened: "wrong token" });
  return breaker;
}

describe("goes on", () => {
  test.each([
    ["as long as something is taken", [denied, down(60_000), taken]],
    ["as long as something is refused for good", [denied, down(60_000), refused]],
    ["however many recipients the provider will not have", [unwelcome]],
    ["when a call brought nothing to learn from", []],
  ])("%s", (_, outcomes) => {
    const breaker = new CircuitBreaker();
    for (let call = 0; call < 30; call += 1) expect(breaker.note(outcomes, now, false)).toBeNull();
    expect([breaker.isOpen, breaker.lastCallFailed, breaker.until]).toEqual([false, false, 0]);
    expect(breaker.admit(50, now)).toBe(50);
  });

  test("after nine failed calls in a row, though uneasily", () => {
    const breaker = new CircuitBreaker();
    for (let call = 0; call < 9; call += 1) expect(breaker.note([down(), down()], now, false)).toBeNull();
    expect([breaker.isOpen, breaker.lastCallFailed]).toEqual([false, true]);
    expect(breaker.note([taken], now, false)).toBeNull();
    expect(breaker.lastCallFailed).toBe(false);
    for (let call = 0; call < 9; call += 1) expect(breaker.note([down()], now, false)).toBeNull();
  });

  test("after one mail whose account is refused, and another among failures of other kinds", () => {
    const breaker = new CircuitBreaker();
    expect(breaker.note([denied], now, false)).toBeNull();
    expect(breaker.note([denied, down()], now, false)).toBeNull();
    expect(breaker.note([denied], now, false)).toBeNull();
    expect(breaker.isOpen).toBe(false);
  });
});

describe("pauses", () => {
  test("at the tenth failed call in a row", () => {
    const breaker = new CircuitBreaker();
    for (let call = 0; call < 9; call += 1) breaker.note([down()], now, false);
    expect(breaker.note([down()], now, false)).toEqual({ opened: "down" });
    expect([breaker.isOpen, breaker.until]).toEqual([true, now + 5_000]);
  });

  test("at the second mail in a row whose account is refused, in one call or in two", () => {
    expect(new CircuitBreaker().note([denied, denied], now, false)).toEqual({ opened: "wrong token" });
    const breaker = new CircuitBreaker();
    expect(breaker.note([denied], now, false)).toBeNull();
    expect(breaker.note([denied], now, false)).toEqual({ opened: "wrong token" });
  });

  test("at once when the provider asks for time, for the longest that it asks for, and for two minutes at most", () => {
    const breaker = new CircuitBreaker();
    expect(breaker.note([down(1_000), down(30_000), down()], now, false)).toEqual({ opened: "down" });
    expect(breaker.until).toBe(now + 30_000);
    const long = new CircuitBreaker();
    long.note([down(3_600_000)], now, false);
    expect(long.until).toBe(now + 120_000);
  });
});

describe("while it pauses", () => {
  test("nothing is admitted but one probe when it is time, and no other until that has come to its end", () => {
    const breaker = opened();
    expect(breaker.until).toBe(now + 5_000);
    expect(breaker.admit(50, now + 4_999)).toBe(0);
    expect(breaker.admit(50, now + 5_000)).toBe(1);
    expect(breaker.admit(50, now + 5_000)).toBe(0);
    expect(breaker.admit(50, now + 34_999)).toBe(0);
    expect(breaker.admit(50, now + 35_000)).toBe(1);
  });

  test("a probe that found no mail is given back", () => {
    const breaker = opened();
    breaker.admit(1, now + 5_000);
    breaker.returnUnusedProbe(now + 5_001);
    expect(breaker.admit(1, now + 5_001)).toBe(1);
  });

  test("calls that were under way change nothing, a failed probe doubles the pause up to half a minute", () => {
    const breaker = opened();
    expect(breaker.note([down(), down()], now + 1, false)).toBeNull();
    expect(breaker.until).toBe(now + 5_000);
    const waits = Array.from({ length: 20 }, () => {
      expect(breaker.note([down()], now, true)).toBeNull();
      return breaker.until - now;
    });
    expect(waits.slice(0, 6)).toEqual([10_000, 20_000, 30_000, 30_000, 30_000, 30_000]);
    expect(waits.at(-1)).toBe(30_000);
    expect(breaker.note([down(7_000)], now, true)).toBeNull();
    expect(breaker.until).toBe(now + 7_000);
  });

  test("the first mail that gets an answer ends it, and the next pause begins as short as the first", () => {
    const breaker = opened();
    breaker.note([down()], now, true);
    expect(breaker.note([taken], now, true)).toBe("closed");
    expect([breaker.isOpen, breaker.lastCallFailed, breaker.admit(7, now)]).toEqual([false, false, 7]);
    expect(breaker.note([denied], now, false)).toBeNull();
    expect(breaker.note([denied], now, false)).toEqual({ opened: "wrong token" });
    expect(breaker.until).toBe(now + 5_000);
  });
});

test("a provider that says we send too fast is no reason to pause, unless it takes nothing at all", () => {
  const breaker = new CircuitBreaker();
  const limited: MailOutcome = { result: "later", error: "429", cause: "limit", retryAfterMs: 60_000 };
  for (let call = 0; call < 9; call += 1) expect(breaker.note([limited], now, false)).toBeNull();
  expect(breaker.note([limited], now, false)).toEqual({ opened: "429" });
});

test("an admission that is given back without a pause is no pause", () => {
  const breaker = new CircuitBreaker();
  breaker.returnUnusedProbe(now);
  expect(breaker.isOpen).toBe(false);
});
