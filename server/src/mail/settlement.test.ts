import { describe, expect, test } from "vitest";
import type { LeasedMail, MailSettlement } from "../storage/records.ts";
import type { MailFinding, MailOutcome } from "./mailer.ts";
import { afterQuestion, afterTry, mustBeAskedAbout, nextTry, retryMsMax, type TryOutcome } from "./settlement.ts";

const now = 1_700_000_000_000;
const hour = 3_600_000;
const moment = { now, pausedUntil: null, doubt: "ask" } as const;
const pausing = { ...moment, pausedUntil: now + 60_000 };
const onceMore = { ...moment, doubt: "once-more" } as const;
const replacing = { ...moment, doubt: "replace" } as const;
const welcome = {
  email: "a@example.org",
  requestId: "r",
  language: "en",
  confirmToken: null,
  unsubscribeToken: "u",
} as const;
const mailWith = (more: Partial<LeasedMail> = {}): LeasedMail => ({
  id: "one",
  kind: "newsletter-welcome",
  about: { welcome },
  attempts: 0,
  createdAt: now,
  denials: null,
  leasedUntil: now + 30_000,
  ...more,
});
type Cause = Extract<MailOutcome, { result: "later" }>["cause"];
const later = (cause: Cause, retryAfterMs?: number) =>
  ({ result: "later", error: "why", cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }) as const;
const taken: MailOutcome = { result: "taken", providerId: "p" };
const refused: MailOutcome = { result: "refused", error: "gone", inactiveRecipient: true };
const broken = { result: "broken", error: "why" } as const;
const old = { createdAt: now - 72 * hour };

/** What is recorded; of a mail that is tried later, only if it says so, when it is due. */
const sent = { id: "one", at: now, result: "sent", providerId: "p" } as const;
const tried = (denials: number | null, more: object = {}) => ({
  id: "one",
  at: now,
  result: "later",
  error: "why",
  dueAt: expect.any(Number) as number,
  denials,
  tried: true,
  ...more,
});
const ended = (result: "failed" | "in-doubt", error: string, denials: number | null, more: object = {}) => ({
  id: "one",
  at: now,
  result,
  error,
  denials,
  ...more,
});

test.each([
  [null, false],
  [0, true],
  [1, true],
  [2, false],
])("the provider must be asked about a mail that it did not find %s times: %s", (denials, asked) => {
  expect(mustBeAskedAbout(mailWith({ denials }))).toBe(asked);
});

describe("after a try", () => {
  type Case = [string, Partial<LeasedMail>, TryOutcome, Parameters<typeof afterTry>[2], object];
  const doubted = { denials: 2 };
  const longTried = { attempts: 50, createdAt: now - 240 * hour };
  const waiting = tried(null, { tried: false, dueAt: now + 60_000 });
  test.each<Case>([
    ["that was taken it is sent", {}, taken, moment, sent],
    ["refused, it has failed", doubted, refused, moment, ended("failed", "gone", null, { inactiveRecipient: true })],
    ["that failed for certain it is not in doubt", doubted, later("provider"), moment, tried(null)],
    ["at the provider's limit it is not in doubt", doubted, later("limit"), moment, tried(null)],
    // Not before the provider can know it.
    ["whose answer was lost it is in doubt", {}, later("ambiguous"), moment, tried(0, { dueAt: now + 30_000 })],
    ["with a time to wait", {}, later("ambiguous", 90_000), moment, tried(0, { dueAt: now + 90_000 })],
    ["while the account is refused it waits for the pause", longTried, later("configuration"), pausing, waiting],
    ["or longer", {}, later("configuration", 90_000), pausing, { ...waiting, dueAt: now + 90_000 }],
    ["a refused account without a pause is a try", {}, later("configuration"), moment, tried(null)],
    ["another failure during a pause is a try", {}, later("provider"), pausing, tried(null)],
    ["the ninth after 72 hours", { ...old, attempts: 8 }, later("provider"), moment, tried(null)],
    ["the tenth is last", { ...old, attempts: 9 }, later("provider"), moment, ended("failed", "given up: why", null)],
    ["whose doubt is kept", { ...old, attempts: 9 }, later("ambiguous"), moment, ended("failed", "given up: why", 0)],
    ["that could not be written it is as much in doubt", { ...doubted, attempts: 3 }, broken, moment, tried(2)],
    ["for the fifth time", { ...doubted, attempts: 4 }, broken, moment, ended("failed", "given up: why", 2)],
    ["where it is replaced there is no doubt", {}, later("ambiguous"), replacing, tried(null)],
  ])("%s", (_, more, outcome, at, expected) => {
    expect(afterTry(mailWith(more), outcome, at)).toEqual(expected);
  });

  test.each<Case>([
    ["a lost reply is due late", {}, later("ambiguous"), onceMore, tried(0, { dueAt: now + hour / 2 })],
    ["a second one stays in doubt", { denials: 0 }, later("ambiguous"), onceMore, ended("in-doubt", "why", 0)],
    ["what was not handed over keeps its second time", { denials: 0 }, later("provider"), onceMore, tried(0)],
    ["what is taken then is sent", { denials: 0 }, taken, onceMore, sent],
    [
      "one in doubt that is given up may have been sent",
      { ...old, attempts: 9, denials: 0 },
      later("provider"),
      onceMore,
      ended("in-doubt", "given up: why", 0),
    ],
    ["one without", { ...old, attempts: 9 }, later("provider"), onceMore, ended("failed", "given up: why", null)],
  ])("where a mail can be sent once more at most: %s", (_, more, outcome, at, expected) => {
    expect(afterTry(mailWith(more), outcome, at)).toEqual(expected);
  });

  test("that failed the next one comes within five to ten seconds", () => {
    const { dueAt } = afterTry(mailWith(), later("provider"), moment) as { dueAt: number };
    expect(dueAt - now).toBeGreaterThanOrEqual(5_000);
    expect(dueAt - now).toBeLessThanOrEqual(10_000);
  });
});

const soon = { dueAt: now + 20_000, tried: false };
const unknown = "in doubt: the provider knows no such mail yet";
test.each<[string, number, MailFinding, boolean, MailSettlement | object | null]>([
  ["that it has is sent", 1, { result: "taken", providerId: "p" }, true, sent],
  ["that it does not know is asked about again", 0, { result: "absent" }, true, tried(1, { ...soon, error: unknown })],
  ["that it does not know twice may be sent", 1, { result: "absent" }, true, null],
  ["without an answer for it alone is not denied", 1, later("provider"), true, tried(1, soon)],
  ["without any answer has a failed try", 1, later("provider"), false, tried(1, { dueAt: now + 30_000 })],
  ["denied among none that are answered", 0, { result: "absent" }, false, tried(1, { ...soon, error: unknown })],
])("after the question whether the provider has a mail, one %s", (_, denials, finding, answered, expected) => {
  expect(afterQuestion(mailWith({ denials }), finding, answered, moment)).toEqual(expected);
});

describe("the next try", () => {
  /** With so many tries before the one that has failed. */
  const next = (attempts: number, random: number, at = now, retryAfterMs = 0) =>
    nextTry({ createdAt: now, attempts }, at, retryAfterMs, () => random);

  test("comes after a delay that doubles up to an hour, spread over its half, never before a Retry-After", () => {
    const delays = [0, 1, 2, 19].map((attempts) => next(attempts, 1)! - now);
    expect(delays).toEqual([10_000, 20_000, 40_000, 3_600_000]);
    expect(next(1, 0)! - now).toBe(10_000);
    expect(next(0, 0, now, 120_000)).toBe(now + 120_000);
  });

  test("is the last at the end of 72 hours, and the tenth at least, however old the mail is", () => {
    const late = now + 2 * retryMsMax;
    expect(next(8, 0, late)).toBe(late + 1_280_000);
    expect(next(9, 0, late)).toBeUndefined();
    expect(next(89, 1, now + retryMsMax - 1)).toBe(now + retryMsMax);
    expect(next(90, 1, now + retryMsMax)).toBeUndefined();
  });
});
