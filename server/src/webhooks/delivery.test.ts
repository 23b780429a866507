import { expect, test } from "vitest";
import { afterTry, signedHeaders, triesMax } from "./delivery.ts";
import { drawWebhookSecret } from "./target.ts";
import type { PostAnswer } from "./post.ts";

const now = 1_700_000_000_000;
const id = "msg_1-a";
const status = (code: number, retryAfterMs: number | null = null): PostAnswer => ({ status: code, retryAfterMs });

test.each([200, 201, 204, 299])("%i is success", (code) => {
  const expected = { id, result: "delivered", at: now, answer: `HTTP ${code}` };
  expect(afterTry({ id, attempts: 3 }, status(code), now)).toEqual(expected);
});

test.each([100, 301, 302, 308, 400, 401, 404, 429, 500, 503])("%i is tried again", (code) => {
  const expected = { id, result: "later", at: now, dueAt: now + 5_000, answer: `HTTP ${code}` };
  expect(afterTry({ id, attempts: 0 }, status(code), now, () => 0)).toEqual(expected);
});

test("a receiver that is gone is not tried again", () => {
  const expected = { id, result: "failed", at: now, answer: "HTTP 410" };
  expect(afterTry({ id, attempts: 0 }, status(410), now)).toEqual(expected);
});

test.each([0, 1])("tries for 72 hours, and then gives up (random: %i)", (random) => {
  let at = now;
  for (let attempts = 0; attempts < triesMax - 1; attempts += 1) {
    const settlement = afterTry({ id, attempts }, { failure: "ECONNREFUSED" }, at, () => random);
    if (settlement.result !== "later") throw new Error(settlement.result);
    expect(settlement.dueAt).toBeGreaterThan(at);
    at = settlement.dueAt;
  }
  const hours = (at - now) / 3_600_000;
  expect(hours).toBeGreaterThan(71);
  expect(hours).toBeLessThan(74);
  const ended = { id, result: "failed", at, answer: "timeout" };
  expect(afterTry({ id, attempts: triesMax - 1 }, { failure: "timeout" }, at)).toEqual(ended);
});

test("waits as long as the receiver asks, but never longer than the longest delay, nor shorter than its own", () => {
  const dueAfter = (attempts: number, retryAfterMs: number) => {
    const settlement = afterTry({ id, attempts }, status(429, retryAfterMs), now, () => 0);
    return settlement.result === "later" ? settlement.dueAt - now : null;
  };
  expect(dueAfter(0, 60_000)).toBe(60_000);
  expect(dueAfter(1, 60_000)).toBe(300_000);
  expect(dueAfter(0, 999_999_000)).toBe(20 * 3_600_000);
});

test("signs the example of the specification", () => {
  const at = 1_614_265_330_000;
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  expect(signedHeaders("msg_p5jXN8AQM9LWM0D4loKWxJek", '{"test": 2432232314}', [secret], at)).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("draws a secret of 32 random bytes each time", () => {
  const [one, other] = [drawWebhookSecret(), drawWebhookSecret()];
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(one).not.toBe(other);
});
