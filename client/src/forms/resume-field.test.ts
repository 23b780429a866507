// The check of a file before it is uploaded. test/service/resumes tries the service's own.
import { english } from "@submissions/shared/forms/form-strings";
import { formTexts } from "@submissions/shared/forms/form-texts";
import { bytesMax } from "@submissions/shared/limits";
import { expect, test } from "vitest";
import { checkResume } from "./resume-field.ts";

const ole = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
const fileOf = (name: string, beginning: string) =>
  new File([Uint8Array.from(beginning, (one) => one.charCodeAt(0))], name);

test.each([
  ["cv.pdf", "%PDF-1.7"],
  ["cv.PDF", "\xEF\xBB\xBF \n%PDF-1.7"],
  ["cv.pdf", "\n\xEF\xBB\xBF\xEF\xBB\xBF\r%PDF-1.7"],
  ["cv.pdf", `${" ".repeat(1_000)}%PDF-1.7`],
  ["cv.doc", ole],
  ["cv.docx", "PK\x03\x04"],
  ["resume", "%PDF-1.7"],
  ["J. Smith", "PK\x03\x04"],
  ["cv 2026.11", "%PDF-1.7"],
  ["CV John Smith Ph.D", "%PDF-1.7"],
  ["Ann Buyer M.Com", ole],
])("%s may be sent when it begins with %j", async (name, beginning) => {
  expect(await checkResume(fileOf(name, beginning), english)).toBeUndefined();
});

test.each([
  ["cv.pdf", "", "This file is empty."],
  ["cv.pdf", "hello %PDF-1.7", "The resume must be a PDF, DOC or DOCX file."],
  ["cv.pdf", "MZ", "The resume must be a PDF, DOC or DOCX file."],
  ["cv.doc", "PK\x03\x04", "The name of this file ends in .doc, but it is a DOCX file."],
  ["cv.exe", ole, "The name of this file ends in .exe, but it is a DOC file."],
])("%s that begins with %j is refused", async (name, beginning, words) => {
  expect(await checkResume(fileOf(name, beginning), english)).toBe(words);
});

test("a file at the limit passes, and one byte more is refused and shown as larger", async () => {
  const bytes = new Uint8Array(bytesMax.resume + 1);
  bytes.set(new TextEncoder().encode("%PDF-"));
  expect(await checkResume(new File([bytes.subarray(1)], "a.pdf"), english)).toBe(
    "The resume must be a PDF, DOC or DOCX file.",
  );
  expect(await checkResume(new File([bytes.subarray(0, -1)], "a.pdf"), english)).toBeUndefined();
  expect(await checkResume(new File([bytes], "a.pdf"), english)).toBe("This file is 5.1 MB; at most 5 MB can be sent.");
  expect(await checkResume(new File([bytes], "a.pdf"), formTexts.get("de")!)).toContain("5,1 MB");
});

test("a file that was deleted after it was chosen is reported as unreadable", async () => {
  const gone = new File(["%PDF-"], "a.pdf");
  gone.slice = () => {
    throw new DOMException("It was deleted.", "NotFoundError");
  };
  expect(await checkResume(gone, english)).toBe("This file could not be read. Please choose it again.");
});
