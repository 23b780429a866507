import { describe, expect, test } from "vitest";
import type { LeasedMail } from "../storage/records.ts";
import type { MailFinding, MailOutcome } from "./mailer.ts";
import { afterQuestion, afterTry, mustBeAskedAbout, nextTry, retryMsMax } from "./settlement.ts";

const now = 1_700_000_000_000;
const hour = 3_600_000;
const one = { id: "one", at: now } as const;
const moment = { now, pausedUntil: null, doubt: "ask" } as const;
const pausing = { ...moment, pausedUntil: now + 60_000 };
const onceMore = { ...moment, doubt: "once-more" } as const;
const mailWith = (more: Partial<LeasedMail> = {}): LeasedMail => ({
  id: "one",
  kind: "newsletter-welcome",
  about: {
    welcome: { email: "a@example.org", requestId: "r", language: "en", confirmToken: null, unsubscribeToken: "u" },
  },
  attempts: 0,
  createdAt: now,
  timesNotFound: null,
  leasedUntil: now + 30_000,
  ...more,
});
type Cause = Extract<MailOutcome, { result: "later" }>["cause"];
const later = (cause: Cause, retryAfterMs?: number) =>
  ({ result: "later", error: "why", cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }) as const;
const taken: MailOutcome = { result: "taken", providerId: "p" };
const old = (attempts: number, timesNotFound: number | null = null) =>
  mailWith({ attempts, timesNotFound, createdAt: now - 72 * hour });

describe("the provider must be asked about a mail", () => {
  test.each([
    [null, false],
    [0, true],
    [1, true],
    [2, false],
  ])("that it did not find %s times: %s", (timesNotFound, asked) => {
    expect(mustBeAskedAbout(mailWith({ timesNotFound }))).toBe(asked);
  });
});

describe("after a try", () => {
  test("that was taken or refused the mail is settled", () => {
    expect(afterTry(mailWith(), taken, moment)).toEqual({ ...one, result: "sent", providerId: "p" });
    const refused: MailOutcome = { result: "refused", error: "gone", inactiveRecipient: true };
    expect(afterTry(mailWith({ timesNotFound: 2 }), refused, moment)).toEqual({
      ...one,
      result: "failed",
      error: "gone",
      timesNotFound: null,
      inactiveRecipient: true,
    });
  });

  test.each(["provider", "limit"] as const)("that failed for certain (%s) it is tried again, not in doubt", (cause) => {
    const settled = afterTry(mailWith({ timesNotFound: 2 }), later(cause), moment);
    expect(settled).toMatchObject({ ...one, result: "later", error: "why", timesNotFound: null, tried: true });
    const { dueAt } = settled as { dueAt: number };
    expect(dueAt - now).toBeGreaterThanOrEqual(5_000);
    expect(dueAt - now).toBeLessThanOrEqual(10_000);
  });

  test("whose answer was lost it is in doubt, and not due before the provider can know it", () => {
    const settled = afterTry(mailWith(), later("ambiguous"), moment);
    expect(settled).toEqual({
      ...one,
      result: "later",
      dueAt: now + 30_000,
      error: "why",
      timesNotFound: 0,
      tried: true,
    });
    expect(afterTry(mailWith(), later("ambiguous", 90_000), moment)).toMatchObject({
      dueAt: now + 90_000,
      timesNotFound: 0,
    });
  });

  test("while the account is refused no try is counted, and it waits for the end of the pause", () => {
    const expected = { ...one, result: "later", error: "why", timesNotFound: null, tried: false };
    const tried = mailWith({ attempts: 50, createdAt: now - 10 * 24 * hour });
    expect(afterTry(tried, later("configuration"), pausing)).toEqual({ ...expected, dueAt: now + 60_000 });
    expect(afterTry(tried, later("configuration", 90_000), pausing)).toEqual({ ...expected, dueAt: now + 90_000 });
    expect(afterTry(mailWith(), later("configuration"), moment)).toMatchObject({ result: "later", tried: true });
    expect(afterTry(mailWith(), later("provider"), pausing)).toMatchObject({ result: "later", tried: true });
  });

  test("after 72 hours and ten tries it is given up, its doubt kept for the operator", () => {
    expect(afterTry(old(8), later("provider"), moment)).toMatchObject({ result: "later" });
    expect(afterTry(old(9), later("provider"), moment)).toEqual({
      ...one,
      result: "failed",
      error: "given up: why",
      timesNotFound: null,
    });
    expect(afterTry(old(9), later("ambiguous"), moment)).toMatchObject({ result: "failed", timesNotFound: 0 });
  });

  test("that could not be written it is tried five times in all, and is as much in doubt as before", () => {
    const broken = { result: "broken", error: "not written: TypeError" } as const;
    expect(afterTry(mailWith({ attempts: 3, timesNotFound: 2 }), broken, moment)).toMatchObject({
      result: "later",
      error: "not written: TypeError",
      timesNotFound: 2,
      tried: true,
    });
    expect(afterTry(mailWith({ attempts: 4, timesNotFound: 2 }), broken, moment)).toEqual({
      ...one,
      result: "failed",
      error: "given up: not written: TypeError",
      timesNotFound: 2,
    });
  });
});

describe("where a mail can be sent once more at most", () => {
  test("one whose reply was lost is due once more, late", () => {
    expect(afterTry(mailWith(), later("ambiguous"), onceMore)).toEqual({
      ...one,
      result: "later",
      dueAt: now + hour / 2,
      error: "why",
      timesNotFound: 0,
      tried: true,
    });
  });

  test("one whose second reply was lost stays in doubt, for an operator", () => {
    expect(afterTry(mailWith({ attempts: 1, timesNotFound: 0 }), later("ambiguous"), onceMore)).toEqual({
      ...one,
      result: "in-doubt",
      error: "why",
      timesNotFound: 0,
    });
  });

  test("one in doubt that was certainly not handed over keeps its doubt, and its second time", () => {
    const settled = afterTry(mailWith({ attempts: 1, timesNotFound: 0 }), later("provider"), onceMore);
    expect(settled).toMatchObject({ result: "later", timesNotFound: 0, tried: true });
    expect(afterTry(mailWith({ timesNotFound: 0 }), taken, onceMore)).toMatchObject({ result: "sent" });
  });

  test("one in doubt that is given up may have been sent all the same", () => {
    expect(afterTry(old(9, 0), later("provider"), onceMore)).toMatchObject({ result: "in-doubt", timesNotFound: 0 });
    expect(afterTry(old(9), later("provider"), onceMore)).toMatchObject({ result: "failed", timesNotFound: null });
  });
});

test("where sending a mail again replaces it there is no doubt", () => {
  expect(afterTry(mailWith(), later("ambiguous"), { ...moment, doubt: "replace" })).toMatchObject({
    result: "later",
    timesNotFound: null,
    tried: true,
  });
});

describe("after the question whether it has a mail", () => {
  const absent: MailFinding = { result: "absent" };

  test("one that it has is sent", () => {
    const found: MailFinding = { result: "taken", providerId: "p" };
    expect(afterQuestion(mailWith({ timesNotFound: 1 }), found, true, moment)).toEqual({
      ...one,
      result: "sent",
      providerId: "p",
    });
  });

  test("one that it does not know is asked about once more, and then may be sent", () => {
    expect(afterQuestion(mailWith({ timesNotFound: 0 }), absent, true, moment)).toEqual({
      ...one,
      result: "later",
      dueAt: now + 20_000,
      error: "in doubt: the provider knows no such mail yet",
      timesNotFound: 1,
      tried: false,
    });
    expect(afterQuestion(mailWith({ timesNotFound: 1 }), absent, true, moment)).toBeNull();
  });

  test("no answer for this mail alone is no denial and no try", () => {
    expect(afterQuestion(mailWith({ timesNotFound: 1 }), later("provider"), true, moment)).toEqual({
      ...one,
      result: "later",
      dueAt: now + 20_000,
      error: "why",
      timesNotFound: 1,
      tried: false,
    });
  });

  test("no answer at all is a failed try, and the mail stays in doubt", () => {
    const settled = afterQuestion(mailWith({ timesNotFound: 1 }), later("provider"), false, moment);
    expect(settled).toMatchObject({ result: "later", error: "why", timesNotFound: 1, tried: true });
    expect((settled as { dueAt: number }).dueAt).toBe(now + 30_000);
    expect(afterQuestion(mailWith({ timesNotFound: 0 }), absent, false, moment)).toMatchObject({
      timesNotFound: 1,
      tried: false,
    });
  });
});

describe("the next try", () => {
  const createdAt = 1_700_000_000_000;
  const failed = (attempts: number, at = createdAt, retryAfterMs?: number) => ({
    createdAt,
    attempts,
    now: at,
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
    const late = createdAt + 2 * retryMsMax;
    expect(nextTry(failed(9, late), () => 0)).toBe(late + 1_280_000);
    expect(nextTry(failed(10, late), () => 0)).toBeUndefined();
  });

  test("tries once more at the end of 72 hours and then gives up", () => {
    expect(nextTry(failed(90, createdAt + retryMsMax - 1), () => 1)).toBe(createdAt + retryMsMax);
    expect(nextTry(failed(91, createdAt + retryMsMax), () => 1)).toBeUndefined();
  });
});
