// The words and addresses of kinds of submissions.
import { expect, test } from "vitest";
import { duration, severalOf, submissionPath, word } from "./words.ts";

test("a submission has its page below the plural of its kind, and one of an unknown kind leads to the inbox", () => {
  expect(submissionPath("INQ-20261121-042137")).toBe("/inquiries/$reference");
  expect(submissionPath("APP-20261121-907715")).toBe("/applications/$reference");
  expect(submissionPath("XYZ-20261121-907715")).toBe("/");
});

test("a length of time is in the largest unit that it fills", () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const lengths = [minute - 1, 59 * minute, hour - 1, hour, 23 * hour, day - 1, day];
  expect(lengths.map(duration)).toEqual(["1 min", "59 min", "1 h", "1 h", "23 h", "1 d", "1 d"]);
});

test("kinds have the labels of their rows, and other names are written as words", () => {
  expect(["inquiry", "application", "throw-away", "in-doubt"].map(word)).toEqual([
    "Inquiry",
    "Application",
    "Throw away",
    "Maybe sent",
  ]);
  expect((["inquiry", "application"] as const).map(severalOf)).toEqual(["inquiries", "applications"]);
});
