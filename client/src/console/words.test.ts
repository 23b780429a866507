// The words and addresses of kinds of submissions.
import { expect, test } from "vitest";
import { severalOf, submissionPath, word } from "./words.ts";

test("a submission has its page below the plural of its kind, and one of an unknown kind leads to the inbox", () => {
  expect(submissionPath("INQ-20261121-042137")).toBe("/inquiries/$reference");
  expect(submissionPath("APP-20261121-907715")).toBe("/applications/$reference");
  expect(submissionPath("XYZ-20261121-907715")).toBe("/");
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
