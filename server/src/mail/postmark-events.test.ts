import { afterEach, describe, expect, test, vi } from "vitest";
import { readPostmarkEvent } from "./postmark-events.ts";

const now = Date.UTC(2026, 10, 21, 12);
const at = "2026-11-21T11:00:00Z";
const bounce = { RecordType: "Bounce", Type: "HardBounce", Email: "Ann@Buyer.example", BouncedAt: at, Inactive: true };
const complaint = { RecordType: "SpamComplaint", Email: "ann@buyer.example", BouncedAt: at };
const change = {
  RecordType: "SubscriptionChange",
  Recipient: "ann@buyer.example",
  ChangedAt: at,
  SuppressSending: true,
  SuppressionReason: "ManualSuppression",
  Origin: "Recipient",
};

test.each<[string, object, string | null]>([
  ["a hard bounce", bounce, "bounced"],
  ["a bad address", { ...bounce, Type: "BadEmailAddress", Inactive: false }, "bounced"],
  ["a soft bounce that Postmark gave up", { ...bounce, Type: "SoftBounce" }, "bounced"],
  ["a bounce that was a complaint", { ...bounce, Type: "SpamComplaint" }, "complained"],
  ["an address that the team has deactivated", { ...bounce, Type: "ManuallyDeactivated" }, "manual"],
  ["a complaint", complaint, "complained"],
  ["a recipient who unsubscribed", change, "unsubscribed"],
  ["a suppression by the team", { ...change, Origin: "Customer" }, "manual"],
  ["a suppression after a bounce", { ...change, SuppressionReason: "HardBounce" }, "bounced"],
  ["a complaint reported as a change", { ...change, SuppressionReason: "SpamComplaint" }, "complained"],
  ["a suppression that was lifted", { ...change, SuppressSending: false }, null],
])("%s changes an address", (_, body, reason) => {
  const news = readPostmarkEvent(body, now);
  expect(news).toMatchObject({ result: "change", change: { reason, at: Date.parse(at) } });
});

test.each<[string, object]>([
  ["a soft bounce", { ...bounce, Type: "SoftBounce", Inactive: false }],
  ["an answer of absence", { ...bounce, Type: "AutoResponder", Inactive: false }],
  ["an opened mail", { RecordType: "Open", Recipient: "ann@buyer.example" }],
  ["what is not known yet", { RecordType: "Telepathy", Recipient: "ann@buyer.example" }],
  ["a delivery", { RecordType: "Delivery", Recipient: "ann@buyer.example" }],
  ["the name of a method", { RecordType: "constructor" }],
])("%s is ignored", (_, body) => {
  expect(readPostmarkEvent(body, now)).toEqual({ result: "ignored" });
});

test.each<[string, object]>([
  ["no kind of event", {}],
  ["a bounce without an address", { ...bounce, Email: undefined }],
  ["a bounce of no address", { ...bounce, Email: "no address" }],
  ["a bounce without a time", { ...bounce, BouncedAt: "yesterday" }],
  ["a change that does not say which", { ...change, SuppressSending: "yes" }],
])("%s is malformed", (_, body) => {
  expect(readPostmarkEvent(body, now)).toMatchObject({ result: "malformed" });
});

test("an event from the future, or without any time, counts as of now", () => {
  const timeless = { RecordType: "SpamComplaint", Email: "ann@buyer.example" };
  expect(readPostmarkEvent(timeless, now)).toMatchObject({ change: { reason: "complained", at: now } });
  expect(readPostmarkEvent({ ...complaint, BouncedAt: "2027-01-01T00:00:00Z" }, now)).toMatchObject({
    change: { at: now },
  });
});

test("an event without a time, which .NET writes as the year 1, counts as of 1970", () => {
  expect(readPostmarkEvent({ ...complaint, BouncedAt: "0001-01-01T00:00:00Z" }, now)).toMatchObject({
    change: { at: 0 },
  });
});

describe("a text longer than its field allows is refused", () => {
  afterEach(() => void vi.restoreAllMocks());
  const long = (length: number) => "a\u0301".repeat(length);

  test.each<[string, object]>([
    ["RecordType", { ...bounce, RecordType: long(100_000) }],
    ["Type", { ...bounce, Type: long(100_000) }],
    ["Email", { ...bounce, Email: `${long(100_000)}@a.example` }],
    ["Email", { ...bounce, Email: `a@${long(100_000)}.example` }],
    ["BouncedAt", { ...bounce, BouncedAt: `${at}${" ".repeat(100_000)}` }],
    ["Recipient", { ...change, Recipient: long(100_000) }],
    ["ChangedAt", { ...change, ChangedAt: long(100_000) }],
    ["SuppressionReason", { ...change, SuppressionReason: long(100_000) }],
    ["Origin", { ...change, Origin: long(100_000) }],
  ])("before it is read (%s)", (field, body) => {
    const reads = [
      vi.spyOn(String.prototype, "normalize"),
      vi.spyOn(String.prototype, "toLowerCase"),
      vi.spyOn(String.prototype, "charAt"),
      vi.spyOn(RegExp.prototype, "test"),
      vi.spyOn(URL, "parse"),
      vi.spyOn(Date, "parse"),
    ];
    const news = readPostmarkEvent(body, now);
    const read = reads.flatMap(({ mock }) => mock.contexts.concat(mock.calls.flat() as never[]));
    vi.restoreAllMocks();
    expect(news).toMatchObject({ result: "malformed", error: { issues: [{ path: [field] }] } });
    expect(read.filter((text) => String(text).length > 10_000)).toEqual([]);
  });

  test("and so is a text that is no text", () => {
    expect(readPostmarkEvent({ ...bounce, Email: 7 }, now)).toMatchObject({ error: { issues: [{ path: ["Email"] }] } });
  });
});
