// Documents of the fixtures changed in ways that senders and attackers change them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useJudge } from "../../support/resumes/judge.ts";
import { readZip } from "../../support/resumes/read-zip.ts";
import { writeZip } from "../../support/resumes/write-zip.ts";

const judge = useJudge();
const fixture = (name: string) => readFileSync(join(import.meta.dirname, "../../fixtures/documents/files", name));
const pdf = fixture("format-corpus__lorem-ipsum.pdf");
const docx = fixture("file-type__fixture.docx");

/** The fixture with its `[Content_Types].xml` written anew. */
const rewritten = (rewrite: (xml: string) => string | Buffer) =>
  writeZip(
    readZip(docx).map((entry) =>
      entry.name === "[Content_Types].xml" ? { ...entry, data: rewrite(entry.data.toString()) } : entry,
    ),
  );

const prefixed = (xml: string) =>
  xml
    .replaceAll(/<(\/?)(Types|Default|Override)\b/g, "<$1p:$2")
    .replace("xmlns=", "xmlns:p=")
    .replaceAll('"', "'");
const utf16 = (xml: string) => Buffer.from(`\ufeff${xml.replace("UTF-8", "UTF-16")}`, "utf16le");
const withEntity = (xml: string) =>
  xml.replace("<Types", '<!DOCTYPE Types [<!ENTITY x SYSTEM "file:///etc/passwd">]><Types');

test.each([
  [4_999_999, true],
  [5_000_001, true],
  [5_242_880, true],
  [5_242_881, false],
])("a PDF padded with line feeds to %i bytes: accepted is %s", async (size, accepted) => {
  expect(await judge(Buffer.concat([pdf, Buffer.alloc(size - pdf.length, "\n")]), "resume.pdf")).toMatchObject({
    accepted,
  });
});

test("a real document stored without compression is accepted", async () => {
  const stored = readZip(docx).map((entry) => ({ ...entry, stored: true }));
  expect(await judge(writeZip(stored), "resume.docx")).toMatchObject({ accepted: true, kind: "docx" });
});

test("a real document behind the stub of a self-extractor is refused", async () => {
  const stub = Buffer.from("MZ".padEnd(100));
  expect(await judge(Buffer.concat([stub, docx]), "resume.docx")).toMatchObject({ accepted: false });
  expect(await judge(writeZip(readZip(docx), { prefix: stub }), "resume.docx")).toMatchObject({ accepted: false });
});

test("a real document with other spellings of its content types is accepted", async () => {
  expect(await judge(rewritten(prefixed), "resume.docx")).toMatchObject({ accepted: true });
  expect(await judge(rewritten(utf16), "resume.docx")).toMatchObject({ accepted: true });
});

test("a real document whose content types have an external entity is refused", async () => {
  expect(await judge(rewritten(withEntity), "resume.docx")).toMatchObject({ accepted: false });
});

test("a real document cut at any of fifty places is refused", async () => {
  // What a DOC has at its very end is often a summary that its text does not need.
  for (const [file, needed] of [
    [docx, 1],
    [fixture("format-corpus__lorem-ipsum.doc"), 0.9],
  ] as const) {
    for (let part = 0; part < 50; part += 1) {
      const cut = file.subarray(0, Math.floor((file.length * needed * part) / 50));
      expect(await judge(cut), `${cut.length} of ${file.length} bytes`).toMatchObject({ accepted: false });
    }
  }
});
