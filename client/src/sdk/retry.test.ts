// When a submission is sent again, and after how long.
import { describe, expect, test, vi } from "vitest";
import { repeat, retryPolicy, systemClock, waitAfter, type RetryPolicy } from "./retry.ts";
import { SubmissionError, type SubmissionErrorFacts } from "./submission-error.ts";

const policy = retryPolicy(undefined) as RetryPolicy;

const failure = (facts: Partial<SubmissionErrorFacts> = {}) =>
  new SubmissionError({ code: "NETWORK", message: "No.", ...facts });
const answered = (status: number, more: Partial<SubmissionErrorFacts> = {}) =>
  failure({ code: "UNEXPECTED_RESPONSE", status, ...more });
const conflict = (retryAfterSeconds?: number) => failure({ code: "CONFLICT", status: 409, retryAfterSeconds });

describe("which failures", () => {
  test.each([
    ["no whole answer", failure()],
    ["the same key under way", conflict()],
    ["a rate limit", answered(429)],
    ["a proxy without its service", answered(502)],
    ["overload", failure({ code: "SERVICE_UNAVAILABLE", status: 503 })],
    ["a proxy that waited in vain", answered(504)],
    ["a fault", failure({ code: "INTERNAL_SERVER_ERROR", status: 500 })],
  ])("is sent again after %s", (_, error) => expect(waitAfter([error], 0, policy, 1)).toBe(500));

  test.each([
    ["fields", failure({ code: "BAD_REQUEST", status: 400 })],
    ["a size", failure({ code: "PAYLOAD_TOO_LARGE", status: 413 })],
    ["a kind", failure({ code: "UNSUPPORTED_MEDIA_TYPE", status: 415 })],
    ["a key that stands for something else", failure({ code: "UNPROCESSABLE_CONTENT", status: 422 })],
    ["its slowness", failure({ code: "TIMEOUT", status: 408 })],
    ["a conflict of another server", answered(409)],
    ["a page that is no receipt", answered(200)],
    ["another fault", answered(501)],
  ])("is not sent again when refused for %s", (_, error) => expect(waitAfter([error], 0, policy, 0)).toBeNull());

  test("is sent again after one fault of the service, and not after a second", () => {
    const fault = failure({ code: "INTERNAL_SERVER_ERROR", status: 500 });
    expect(waitAfter([failure(), fault], 0, policy, 0)).toBe(0);
    expect(waitAfter([fault, failure(), fault], 0, policy, 0)).toBeNull();
  });
});

describe("after how long", () => {
  const waits = (count: number, random: number, more: Partial<RetryPolicy> = {}) =>
    Array.from({ length: count }, (_, index) =>
      waitAfter(Array<SubmissionError>(index + 1).fill(failure()), 0, { ...policy, tries: 100, ...more }, random),
    );

  test("doubles up to the longest, and chance shortens it down to nothing", () => {
    expect(waits(7, 1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(waits(3, 0.5)).toEqual([250, 500, 1_000]);
    expect(waits(3, 0)).toEqual([0, 0, 0]);
    const conflicts = Array.from({ length: 2_000 }, () => conflict());
    expect(waitAfter(conflicts, 0, { ...policy, firstWaitMs: 0 }, 1)).toBe(0);
    expect(waits(3, 1, { firstWaitMs: 10, longestWaitMs: 15 })).toEqual([10, 15, 15]);
  });

  test.each([
    ["longer than the back-off: never earlier, and not all at the same moment", 3, 0.5, 3_250],
    ["shorter than the back-off", 0, 1, 500],
  ])("follows Retry-After when it is %s", (_, retryAfterSeconds, random, expected) =>
    expect(waitAfter([answered(503, { retryAfterSeconds })], 0, policy, random)).toBe(expected),
  );

  test("not at all when it has been sent often enough; waiting for the same key does not count", () => {
    const [once, often] = [failure(), Array.from({ length: 50 }, () => conflict(1))];
    expect(waitAfter([once, once, once], 0, policy, 0)).toBe(0);
    expect(waitAfter([once, once, once, once], 0, policy, 0)).toBeNull();
    expect(waitAfter([once, once, once, ...often], 0, policy, 0)).toBe(1_000);
    expect(waitAfter([once], 0, { ...policy, tries: 1 }, 0)).toBeNull();
  });

  test("not at all when that would be after the bound", () => {
    expect(waitAfter([failure()], 29_500, policy, 1)).toBe(500);
    expect(waitAfter([failure()], 29_501, policy, 1)).toBeNull();
    expect(waitAfter([conflict(1)], 29_001, policy, 0)).toBeNull();
    expect(waitAfter([answered(503, { retryAfterSeconds: 3_600 })], 0, policy, 0)).toBeNull();
  });
});

describe("options", () => {
  test("of a call go before the client's, and those before the defaults", () => {
    const client = retryPolicy({ tries: 7, firstWaitMs: undefined });
    expect(client).toEqual({ ...policy, tries: 7 });
    expect(retryPolicy(undefined, client)).toBe(client);
    expect(retryPolicy({ giveUpAfterMs: 1 }, client)).toEqual({ ...policy, tries: 7, giveUpAfterMs: 1 });
    expect(retryPolicy(false, client)).toBeNull();
    expect(retryPolicy(undefined, null)).toBeNull();
    expect(retryPolicy({}, null)).toEqual(policy);
  });

  test("that make no sense are a mistake", () => {
    const times = [{ firstWaitMs: -1 }, { longestWaitMs: Infinity }, { giveUpAfterMs: 43_200_001 }];
    for (const wrong of [{ tries: 0 }, { tries: 1.5 }, { tries: Number.NaN }, ...times])
      expect(() => retryPolicy(wrong), JSON.stringify(wrong)).toThrow(TypeError);
  });
});

test("what is no failure of the submission is not repeated", async () => {
  const send = vi.fn(() => Promise.reject(new TypeError("A mistake.")));
  await expect(repeat(send, policy, systemClock, undefined)).rejects.toThrow(TypeError);
  expect(send).toHaveBeenCalledOnce();
});

test("what was not refused for itself may have arrived", () => {
  const unclear = [
    "NETWORK",
    "UNEXPECTED_RESPONSE",
    "INTERNAL_SERVER_ERROR",
    "CONFLICT",
    "SERVICE_UNAVAILABLE",
  ] as const;
  for (const code of unclear) expect(failure({ code }).mayHaveArrived, code).toBe(true);
  for (const code of ["TOO_MANY_REQUESTS", "BAD_REQUEST"] as const)
    expect(failure({ code }).mayHaveArrived, code).toBe(false);
});

describe("the real wait", () => {
  test("ends by itself and leaves nothing with the signal", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    await systemClock.wait(1, signal);
    await systemClock.wait(0, undefined);
    expect(removed).toHaveBeenCalledOnce();
  });

  test("is cut by the signal at once, with its reason", async () => {
    const controller = new AbortController();
    const wait = systemClock.wait(86_400_000, controller.signal);
    controller.abort("gone");
    await expect(wait).rejects.toBe("gone");
    await expect(systemClock.wait(86_400_000, controller.signal)).rejects.toBe("gone");
  });
});
