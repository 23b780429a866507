import { expect, test } from "vitest";
import { application, inquiry } from "../../../test/support/mail/examples.ts";
import { inboxRow } from "./inbox-row.ts";

const titles = new Map([["de-AT", "Austrian German, conversations"]]);

test("rows name packages by their titles, and what has none as it is", () => {
  expect(inboxRow(inquiry, titles).summary).toBe("en-GB-scottish; Austrian German, conversations");
  expect(inboxRow(inquiry, null).summary).toBe("en-GB-scottish; de-AT");
});

test("a row tells the position and the beginning of the letter, in one line and at most 200 characters", () => {
  const summaryOf = (coverLetter: string | null) =>
    inboxRow({ ...application, position: "Annotator", coverLetter }, titles).summary;
  expect(summaryOf("Dear team,\n\nI would like to join.")).toBe("Annotator – Dear team, I would like to join.");
  expect(summaryOf(null)).toBe("Annotator");
  expect(summaryOf("x".repeat(300))).toBe(`Annotator – ${"x".repeat(187)}…`);
});

test("a row tells whether there is a resume, and in a search the sentence that was found", () => {
  expect(inboxRow(inquiry, null)).toMatchObject({ hasResume: false, disposable: false });
  expect(inboxRow({ ...application, resume: null }, null).hasResume).toBe(false);
  const found = inboxRow({ ...application, coverLetter: "Hello. I speak Czech." }, null, "czech");
  expect(found).toMatchObject({ hasResume: application.resume !== null, match: "I speak Czech." });
  expect(found).not.toHaveProperty("coverLetter");
});
