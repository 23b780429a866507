import { expect, test } from "vitest";
import { nextTry, retryMsMax } from "./retry-schedule.ts";

const createdAt = 1_700_000_000_000;
const failed = (attempts: number, now = createdAt, retryAfterMs?: number) => ({
  createdAt,
  attempts,
  now,
  retryAfterMs,
});

test("doubles the delay and stops doubling at an hour", () => {
  const delays = [1, 2, 3, 20].map((attempts) => nextTry(failed(attempts), () => 1)! - createdAt);
  expect(delays).toEqual([10_000, 20_000, 40_000, 3_600_000]);
});

test("spreads tries over half of the delay", () => {
  expect(nextTry(failed(2), () => 0)! - createdAt).toBe(10_000);
  expect(nextTry(failed(2), () => 1)! - createdAt).toBe(20_000);
});

test("never tries before the provider's Retry-After", () => {
  expect(nextTry(failed(1, createdAt, 120_000), () => 0)).toBe(createdAt + 120_000);
});

test("gives no mail up before it had ten tries, however old it is", () => {
  const old = createdAt + 2 * retryMsMax;
  expect(nextTry(failed(9, old), () => 0)).toBe(old + 1_280_000);
  expect(nextTry(failed(10, old), () => 0)).toBeUndefined();
});

test("tries once more at the end of 72 hours and then gives up", () => {
  expect(nextTry(failed(90, createdAt + retryMsMax - 1), () => 1)).toBe(createdAt + retryMsMax);
  expect(nextTry(failed(91, createdAt + retryMsMax), () => 1)).toBeUndefined();
});
