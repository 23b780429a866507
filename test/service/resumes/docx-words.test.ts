// What the senders of refused DOCX files are told, and who is told it: a wrong reason sends people the wrong way, and what
// fails on our side is not theirs.
import { expect, test } from "vitest";
import { findDocxFault } from "../../../server/src/resumes/formats/docx.ts";
import type { StagedBytes } from "../../../server/src/resumes/staged-bytes.ts";
import { useJudge } from "../../support/resumes/judge.ts";
import { contentTypesXml, wordEntries, wordMain, writeZip } from "../../support/resumes/write-zip.ts";

const judge = useJudge();
const macros = "Word files with macros are not accepted. Please send the document as PDF or as DOCX without macros.";
const template = "Word templates are not accepted. Please save the document as DOCX or PDF.";
const notWord = "Only PDF, DOC or DOCX files are accepted; this is a file of another kind.";
const damaged = "The DOCX file is incomplete or damaged.";
const macroWord = "application/vnd.ms-word.document.macroEnabled.main+xml";
const wordTemplate = "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml";

test.each([
  ["a document with macros", macroWord, macros],
  ["a document with macros, of a type that is not XML", "application/vnd.ms-word.document.macroEnabled.main", macros],
  ["a template with macros", "application/vnd.ms-word.template.macroEnabledTemplate.main+xml", macros],
  ["a template", wordTemplate, template],
  ["a workbook", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", notWord],
  ["a presentation", "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml", notWord],
  ["another part", "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml", notWord],
  ["what begins like a document", `${wordMain}.bak`, notWord],
  ["something else of Word's", "application/vnd.ms-word.other.main+xml", notWord],
  ["a workbook with macros", "application/vnd.ms-excel.sheet.macroEnabled.main+xml", notWord],
])("%s is called what it is", async (_, type, message) => {
  expect(await judge(writeZip(wordEntries(contentTypesXml(type))))).toEqual({ accepted: false, message });
});

test.each([
  ["a document with macros", macroWord, macros],
  ["a template", wordTemplate, template],
  ["a workbook", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", notWord],
])("beside a document %s is seen", async (_, type, message) => {
  const both = contentTypesXml(wordMain, `<Override PartName="/b.xml" ContentType="${type}"/>`);
  expect(await judge(writeZip([...wordEntries(both), { name: "b.xml", data: "<b/>" }]))).toEqual({
    accepted: false,
    message,
  });
});

test("a part whose type only begins like a main part's is none", async () => {
  const more = '<Override PartName="/b.xml" ContentType="application/x.main+xml.bak"/>';
  const file = writeZip([...wordEntries(contentTypesXml(wordMain, more)), { name: "b.xml", data: "<b/>" }]);
  expect(await judge(file, "cv.docx")).toMatchObject({ accepted: true });
});

test.each(["stored", "packed"])("content types have 256 KiB at most, %s", async (how) => {
  const sized = (bytes: number) =>
    writeZip(wordEntries(contentTypesXml().padEnd(bytes)).map((entry) => ({ ...entry, stored: how === "stored" })));
  expect(await judge(sized(262_144), "cv.docx")).toMatchObject({ accepted: true });
  expect(await judge(sized(262_145), "cv.docx")).toEqual({ accepted: false, message: damaged });
});

/** Bytes of a sound DOCX whose reading fails after the first `reads` times. */
function failingBytes(reads: number, error: Error, isOfTheDisk: boolean): StagedBytes {
  const file = writeZip(wordEntries());
  const bytes = {
    size: file.length,
    ioError: null as unknown,
    async read(position: number, length: number) {
      reads -= 1;
      if (reads >= 0) return file.subarray(position, position + length);
      if (isOfTheDisk) bytes.ioError = error;
      throw error;
    },
  };
  return bytes as unknown as StagedBytes;
}

test("a disk that fails, or a mistake of ours, is never called a damaged file", async () => {
  let failed = 0;
  for (let reads = 0; reads < 20; reads += 1) {
    for (const [error, isOfTheDisk] of [
      [new Error("EIO: i/o error, read"), true],
      [new TypeError("a mistake"), false],
    ] as const) {
      const judged = findDocxFault(failingBytes(reads, error, isOfTheDisk)).then(
        (fault) => ({ fault }),
        (thrown: unknown) => ({ thrown }),
      );
      const outcome = await judged;
      if ("thrown" in outcome) failed += 1;
      else expect(outcome.fault).toBeNull();
    }
  }
  expect(failed).toBeGreaterThan(2);
});
