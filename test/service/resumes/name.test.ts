// What the name of a file has to say: it must not contradict the bytes, and is shown without what deceives.
import { formTexts } from "@submissions/shared/forms/form-texts";
import { translated } from "@submissions/shared/forms/issue-words";
import { expect, test } from "vitest";
import { smallPdf, useJudge } from "../../support/resumes/judge.ts";
import { wordCompound } from "../../support/resumes/write-compound.ts";
import { wordEntries, writeZip } from "../../support/resumes/write-zip.ts";

const judge = useJudge();

test.each([
  ["cv.pdf", smallPdf],
  ["CV.PDF", smallPdf],
  ["cv.final.v2.pdf", smallPdf],
  ["cv.exe.pdf", smallPdf],
  ["cv", smallPdf],
  ["CV of J. Smith", smallPdf],
  ["CV 12.05.2026", smallPdf],
  ["CV John Smith Ph.D", smallPdf],
  ["CV John Smith Ph.D", wordCompound()],
  ["Ann Buyer M.Com", writeZip(wordEntries())],
  ["lebenslauf.neu", smallPdf],
  ["cv.<script>", smallPdf],
  ["cv.Doc", wordCompound()],
  ["cv.dOcX", writeZip(wordEntries())],
])("%s is kept as it is", async (filename, content) => {
  expect(await judge(content, filename)).toMatchObject({ accepted: true, filename });
});

test.each([
  ["cv.pdf.exe", smallPdf, "The file is a PDF but its name does not end in .pdf."],
  ["cv.pdf.exe ", smallPdf, "The file is a PDF but its name does not end in .pdf."],
  ["cv.pdf.exe..", smallPdf, "The file is a PDF but its name does not end in .pdf."],
  ["cv.pdf%2Eexe", smallPdf, "The file is a PDF but its name does not end in .pdf."],
  ["cv.\u202efdp.exe", smallPdf, "The file is a PDF but its name does not end in .pdf."],
  ["cv.html", smallPdf, "The file is a PDF but its name does not end in .pdf."],
  ["Smith Ph.D.odt", smallPdf, "The file is a PDF but its name does not end in .pdf."],
  ["cv.docx", smallPdf, "The file is a PDF but its name does not end in .pdf."],
  ["cv.pdf", wordCompound(), "The file is a DOC but its name does not end in .doc."],
  ["cv.docx", wordCompound(), "The file is a DOC but its name does not end in .doc."],
  ["cv.doc", writeZip(wordEntries()), "The file is a DOCX but its name does not end in .docx."],
  ["cv.docm", writeZip(wordEntries()), "The file is a DOCX but its name does not end in .docx."],
])("%s is refused with the reason", async (filename, content, message) => {
  expect(await judge(content, filename)).toEqual({ accepted: false, message });
  const kind = /a (\w+) but/.exec(message)![1]!;
  const inGerman = `Die Datei ist eine ${kind}-Datei, aber ihr Name endet nicht auf .${kind.toLowerCase()}.`;
  expect(translated(message, formTexts.get("de")!)).toBe(inGerman);
});

test.each([
  ["=?UTF-8?Q?r=C3=A9sum=C3=A9_1.pdf?=", "résumé 1.pdf"],
  ["=?utf-8?b?csOpc3Vtw6kucGRm?=", "résumé.pdf"],
  ["=?iso-8859-1?q?r=E9sum=E9?= =?us-ascii?q?.pdf?=", "résumé.pdf"],
  ["=?UTF-8?Q?..=2F=0Acv.pdf?=", "cv.pdf"],
  ["=?klingon?Q?cv?=.pdf", "=?klingon?Q?cv?=.pdf"],
  ["CV %22Ann%22.pdf", 'CV "Ann".pdf'],
  ["%E5%B1%A5%E6%AD%B4%20%281%29.pdf", "履歴 (1).pdf"],
  ["..%2F..%5ccv%00%0d%0A.pdf", "cv.pdf"],
  ["r%E9sum%E9 100%.pdf", "r%E9sum%E9 100%.pdf"],
  ["Rate 50%50 or 50%2f100.pdf", "Rate 50%50 or 50%2f100.pdf"],
  ["r%E9sum%E9.pdf", "r%E9sum%E9.pdf"],
  ["r\ufffdsum\ufffd.pdf", "r_sum_.pdf"],
  ["Ann Buyer M.Sc.", "Ann Buyer M.Sc"],
])("%s is read as %s", async (filename, shown) => {
  expect(await judge(smallPdf, filename)).toMatchObject({ accepted: true, filename: shown });
});

test("a nameless file is called after its kind", async () => {
  for (const filename of ["", " ", "..", "a/", "\u202e"]) {
    expect(await judge(smallPdf, filename)).toMatchObject({ accepted: true, filename: "resume.pdf" });
  }
  expect(await judge(wordCompound(), "")).toMatchObject({ filename: "resume.doc" });
  expect(await judge(writeZip(wordEntries()), "")).toMatchObject({ filename: "resume.docx" });
});

test("a file that cannot be read is an error, and no refusal", async () => {
  const { inspectResume } = await import("../../../server/src/resumes/inspect.ts");
  await expect(inspectResume("/nonexistent/file", "cv.pdf")).rejects.toMatchObject({ code: "ENOENT" });
});
