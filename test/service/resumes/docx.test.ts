// What counts as a DOCX: a ZIP file whose content types name a Word main document without macros.
import { describe, expect, test } from "vitest";
import { useJudge } from "../../support/resumes/judge.ts";
import { contentTypesXml, wordEntries, wordMain, writeZip, writeZip64End } from "../../support/resumes/write-zip.ts";
import type { ZipEntry } from "../../support/resumes/write-zip.ts";
import { findDocxFault } from "../../../server/src/resumes/formats/docx.ts";
import type { StagedBytes } from "../../../server/src/resumes/staged-bytes.ts";

const judge = useJudge();
const accepted = { accepted: true, kind: "docx", filename: "cv.docx" };
const damaged = { accepted: false, message: "The DOCX file is incomplete or damaged." };
const xml = contentTypesXml();
const word = (contentTypes: string | Buffer) => writeZip(wordEntries(contentTypes));
const withMore = (...entries: ZipEntry[]) => writeZip([...wordEntries(), ...entries]);
/** Whose entries say this instead of the truth. */
const claiming = (claims: ZipEntry["claims"], more: Partial<ZipEntry> = {}) =>
  writeZip(wordEntries().map((entry) => ({ ...entry, ...more, ...(claims && { claims }) })));
const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();
const withDefault = (extension: string, type: string) =>
  contentTypesXml(wordMain, `<Default Extension="${extension}" ContentType="application/vnd.${type}"/>`);
const mimetype = (data: string): ZipEntry => ({ name: "mimetype", data, stored: true });
const wordEntriesUpTo = (count: number): ZipEntry[] => [
  ...wordEntries(),
  ...Array.from({ length: count - 3 }, (_, index) => ({ name: `word/${index}`, data: "" })),
];
const hidden: ZipEntry = { name: "word/vbaProject.bin", data: "x", unlisted: true };
/** Listed where the data of the part `a.xml` stands that the tests put behind those of a Word document. */
const within: ZipEntry = { ...hidden, unlisted: false, claims: { offset: withMore().indexOf("PK\u0001\u0002") + 35 } };
const inflating = (size: number) => withMore({ name: "word/media/a.png", data: "x", claims: { size } });

test("line ends may follow the ZIP file, and nothing else", async () => {
  const zip = writeZip(wordEntries());
  for (const more of ["\n", "\r\n", "\n\n"]) {
    expect(await judge(Buffer.concat([zip, Buffer.from(more)]), "cv.docx")).toEqual(accepted);
  }
  // A comment may end in a line end, too.
  const commented = Buffer.concat([zip, Buffer.from("cv\n")]);
  commented.writeUInt16LE(3, zip.length - 2);
  expect(await judge(commented, "cv.docx")).toEqual(accepted);
  for (const more of [" ", "\0", "x\n", "\n".repeat(9)]) {
    expect(await judge(Buffer.concat([zip, Buffer.from(more)]), "cv.docx")).toEqual(damaged);
  }
});

describe("content types", () => {
  test.each<[string, string | Buffer]>([
    ["as Word writes them", xml],
    ["in single quotes", xml.replaceAll('"', "'")],
    ["with a namespace prefix", xml.replaceAll(/<(\/?)(?=[TDO])/g, "<$1ct:").replace("xmlns=", "xmlns:ct=")],
    ["in UTF-8 with a byte order mark", `\ufeff${xml}`],
    ["in UTF-16, little end first", Buffer.from(`\ufeff${xml}`, "utf16le")],
    ["in UTF-16, big end first", utf16be(`\ufeff${xml}`)],
    ["with comments", contentTypesXml(wordMain, "<!-- <Override PartName='/word/document.xml' ContentType='x'> -->")],
    ["with white space wherever it may be", xml.replaceAll('="', ' =\n "').replaceAll("/>", "\t/>")],
    ["with characters written as references", contentTypesXml(wordMain.replace("/", "&#47;").replace("+", "&#x2B;"))],
    ["in other case", contentTypesXml(wordMain.toUpperCase()).replace("/word/document.xml", "/WORD/Document.XML")],
    ["with the main type as a default", contentTypesXml("text/plain").replace("application/xml", wordMain)],
    ["that list an embedded workbook with macros", withDefault("xlsb", "ms-excel.sheet.binary.macroEnabled.12")],
    ["that still have the default of macros that are gone", withDefault("bin", "ms-office.vbaProject")],
  ])("%s are understood", async (_, contentTypes) => {
    expect(await judge(word(contentTypes), "cv.docx")).toEqual(accepted);
  });

  test.each<[string, string | Buffer]>([
    ["that name a main part which is not there", xml.replace("/word/document.xml", "/word/other.xml")],
    ["that name the main type in a comment only", contentTypesXml("x", `<!-- ${wordMain} -->`)],
    ["with a DOCTYPE", xml.replace("<Types", '<!DOCTYPE Types SYSTEM "http://127.0.0.1:1/x.dtd">\n<Types')],
    ["with an entity", contentTypesXml("&a;").replace("<Types", `<!DOCTYPE Types [<!ENTITY a "${wordMain}">]><Types`)],
    ["with an entity that nothing declares", contentTypesXml("&main;")],
    ["in UTF-16 that does not say so", Buffer.from(xml, "utf16le")],
    ["that are not XML", "not xml <"],
    ["that end within a comment", `${xml}<!-- `],
    ["that name an attribute twice", xml.replace(" ContentType=", ' ContentType="a" ContentType=')],
    ["that are empty", ""],
  ])("%s are refused", async (_, contentTypes) => {
    expect(await judge(word(contentTypes), "cv.docx")).toMatchObject({ accepted: false });
  });

  test.each([
    ["a part", '<Override PartName="/word/Document.xml" ContentType="', wordMain],
    ["an extension", '<Default Extension="XML" ContentType="', "application/xml"],
  ])("may give %s its type twice, and no second one", async (_, tag, type) => {
    expect(await judge(word(contentTypesXml(wordMain, `${tag}${type}"/>`)), "cv.docx")).toEqual(accepted);
    const macros = "application/vnd.ms-word.document.macroEnabled.main+xml";
    expect(await judge(word(contentTypesXml(wordMain, `${tag}${macros}"/>`)), "cv.docx")).toEqual(damaged);
    const first = xml.replace(/<(?=Default)/, `${tag}${macros}"/><`);
    expect(await judge(word(first), "cv.docx")).toEqual(damaged);
  });
});

test("entries may have other names in Unicode, and are judged by both", async () => {
  const withUnicode = (...names: [string, string][]) =>
    withMore(...names.map(([name, unicodeName]) => ({ name, data: "x", unicodeName })));
  const picture = ["word/media/#U00f6.png", "word/media/ö.png"] as [string, string];
  expect(await judge(withUnicode(picture), "cv.docx")).toEqual(accepted);
  expect(await judge(withUnicode(["a.xml", "b.xml"], ["b.xml", "a.xml"]), "cv.docx")).toEqual(accepted);
  expect(await judge(withUnicode(["a.xml", "c.xml"], ["b.xml", "c.xml"]), "cv.docx")).toEqual(damaged);
  const project = "word/vbaProject.bin";
  for (const file of [withUnicode([project, "word/a.bin"]), withUnicode(["word/a.bin", project])]) {
    expect(await judge(file, "cv.docx")).toEqual({ accepted: false, message: macros });
  }
  const exchanged = (first: string, second: string) =>
    writeZip([
      { name: "[Content_Types].xml", data: first, unicodeName: "a.xml" },
      { name: "a.xml", data: second, unicodeName: "[Content_Types].xml" },
      ...wordEntries().slice(1),
    ]);
  expect(await judge(exchanged(xml, xml), "cv.docx")).toEqual(accepted);
  for (const file of [exchanged(contentTypesXml(macroWord), xml), exchanged(xml, contentTypesXml(macroWord))]) {
    expect(await judge(file, "cv.docx")).toEqual({ accepted: false, message: macros });
  }
});

test.each([
  ["by name", "word/vbaProject.bin", ""],
  ["by name in other letter case", "word/VBAPROJECT.BIN", ""],
  ["by type", "word/a.bin", '<Override PartName="/word/a.bin" ContentType="application/vnd.ms-office.vbaProject"/>'],
])("macros are found %s and refused with the reason", async (_, name, more) => {
  const file = writeZip([...wordEntries(contentTypesXml(wordMain, more)), { name, data: "x" }]);
  expect(await judge(file, "cv.docx")).toEqual({ accepted: false, message: macros });
});

const projectType = "http://schemas.microsoft.com/office/2006/relationships/vbaProject";
const relating = (type: string, padding = ""): ZipEntry => ({
  name: "word/_rels/document.xml.rels",
  data: `<Relationships><Relationship Id="rId1" Type="${type}" Target="a.bin"/></Relationships>${padding}`,
});

test.each([
  ["plainly", relating(projectType)],
  ["with a reference", relating(projectType.replace("Pro", "&#80;ro"))],
  ["in a part that is called otherwise in Unicode", { ...relating(projectType), unicodeName: "word/b.txt" }],
])("macros of any name are found by their relationship, written %s", async (_, rels) => {
  const file = withMore({ name: "word/a.bin", data: "x" }, rels);
  expect(await judge(file, "cv.docx")).toEqual({ accepted: false, message: macros });
});

test("relationships may mention macros, be empty or no text, and have 1 MiB in all", async () => {
  const image = projectType.replace("vbaProject", "image");
  expect(await judge(withMore(relating(image, `<!-- ${projectType} -->`)), "cv.docx")).toEqual(accepted);
  for (const data of ["", "\0\x05\x16\x07<"]) {
    expect(await judge(withMore({ name: "__MACOSX/word/_rels/._document.xml.rels", data }), "cv.docx")).toEqual(
      accepted,
    );
  }
  const rest = wordEntries()[1]!.data.length + relating(image).data.length;
  expect(await judge(withMore(relating(image, " ".repeat(2 ** 20 - rest))), "cv.docx")).toEqual(accepted);
  expect(await judge(withMore(relating(image, " ".repeat(2 ** 20 - rest + 1))))).toMatchObject({ accepted: false });
});

describe("the archive", () => {
  test("may be stored or streamed, have folders, other orders and backslashes", async () => {
    const folder = { name: "word/", data: "" };
    const stored = [...wordEntries(), folder].toReversed().map((entry) => ({ ...entry, stored: true }));
    expect(await judge(writeZip(stored), "cv.docx")).toEqual(accepted);
    const behind = { flags: 0x808, sum: 0, packedSize: 0, size: 0 };
    const streamed = wordEntries().map((entry) => ({ ...entry, own: behind }));
    expect(await judge(writeZip(streamed), "cv.docx")).toEqual(accepted);
    const backslashes = wordEntries().map((entry) => ({ ...entry, name: entry.name.replace("/", "\\") }));
    expect(await judge(writeZip(backslashes), "cv.docx")).toEqual(accepted);
  });

  test("may have 1,000 entries and 100 MB, and not one more", async () => {
    expect(await judge(writeZip(wordEntriesUpTo(1_000)), "cv.docx")).toEqual(accepted);
    expect(await judge(writeZip(wordEntriesUpTo(1_001)))).toMatchObject({ accepted: false });
    // The end record says 1,000 and the directory goes on: the rest is not there for any reader.
    const more = writeZip(wordEntriesUpTo(1_001), { claims: { entries: 40_000 } });
    expect(await judge(more)).toMatchObject({ accepted: false });
    const rest = wordEntries().reduce((sum, { data }) => sum + data.length, 0);
    expect(await judge(inflating(100_000_000 - rest), "cv.docx")).toEqual(accepted);
    expect(await judge(inflating(100_000_001 - rest))).toMatchObject({ accepted: false });
  });

  test("that inflates two hundredfold honestly is accepted", async () => {
    const file = withMore({ name: "word/media/a.bmp", data: Buffer.alloc(8_000_000) });
    expect(8_000_000 / file.length).toBeGreaterThan(200);
    expect(await judge(file, "cv.docx")).toEqual(accepted);
  });

  test.each<[string, Buffer]>([
    ["content types that inflate to 2 MiB", word(xml.padEnd(2 ** 21))],
    [
      "content types that say they are short and inflate to 2 MiB",
      writeZip([{ ...wordEntries(xml.padEnd(2 ** 21))[0]!, claims: { size: 900 } }, ...wordEntries().slice(1)]),
    ],
    ["content types that lie about their length", claiming({ size: 5 })],
    ["content types of another checksum", claiming({ sum: 1 })],
    ["relationships of too many tags", withMore(relating("x", "<a/>".repeat(20_000)))],
    ["relationships of another checksum", withMore({ ...relating("x"), claims: { sum: 1 } })],
    [
      "a part packed in a way that word processors do not know",
      withMore({ name: "a.xml", data: "x", claims: { method: 12 } }),
    ],
    ...(["sum", "packedSize", "size"] as const).map((what): [string, Buffer] => [
      `a part whose own header has another ${what}`,
      withMore({ name: "a.xml", data: "x", own: { [what]: 7 } }),
    ]),
    ["content types packed beyond the file", claiming({ packedSize: 500_000 })],
    ["content types packed in an unknown way", claiming({ method: 14 })],
    ["content types that are no deflate stream", claiming({ method: 8 }, { stored: true })],
    ["headers that are not where they should be", claiming({ offset: 7 })],
    ["headers beyond the file", claiming({ offset: 0xfffffffe })],
    ["two parts [Content_Types].xml", withMore({ name: "[content_types].XML", data: contentTypesXml("x") })],
    [
      "names of 700 KB in all",
      withMore(...Array.from({ length: 700 }, (_, n) => ({ name: `${n}`.padEnd(1_000), data: "" }))),
    ],
    ["a name that climbs out", withMore({ name: "../../etc/cron.d/x", data: "x" })],
    ["an absolute name", withMore({ name: "/etc/passwd", data: "x" })],
    ["a directory beyond the file", writeZip(wordEntries(), { claims: { directoryOffset: 0xfffffff0 } })],
    ["a directory that is not one", writeZip(wordEntries(), { claims: { directoryOffset: 3 } })],
    [
      "more entries than it says",
      writeZip([...wordEntries(), { name: "word/vbaProject.bin", data: "x" }], { claims: { entries: 3 } }),
    ],
    ["another ZIP file in front of it", Buffer.concat([writeZip(wordEntries()), writeZip(wordEntries())])],
    ["a directory of another length", writeZip(wordEntries(), { claims: { directorySize: 46 } })],
    ["bytes between the directory and the end", writeZip(wordEntries(), { beforeEnd: () => Buffer.alloc(76) })],
    ["fewer entries than it says", writeZip(wordEntries(), { claims: { entries: 900 } })],
    [
      "a part whose own header has another name",
      withMore({ name: "word/a.bin", data: "x", own: { name: "word/b.xml" } }),
    ],
    ["a part whose own header has another packing", withMore({ name: "a.xml", data: "x", own: { method: 0 } })],
    ["a part that is encrypted by its own header", withMore({ name: "a.xml", data: "x", own: { flags: 0x801 } })],
    ["a name that ends at a NUL for some readers", withMore({ name: "word/vbaProject.bin\0", data: "x" })],
    ["a part that the directory leaves out", withMore(hidden)],
    ["a first part that the directory leaves out", writeZip([hidden, ...wordEntries()])],
    ["a part within another", withMore({ name: "a.xml", data: writeZip([hidden]), stored: true }, within)],
    ["bytes after its end", Buffer.concat([writeZip(wordEntries()), Buffer.from("MZ")])],
    ["no end", writeZip(wordEntries()).subarray(0, -22)],
    ["only its signature", Buffer.from("PK\u0003\u0004")],
  ])("with %s is refused as damaged", async (_, file) => {
    expect(await judge(file, "cv.docx")).toEqual(damaged);
  });

  test.each<[string, Buffer]>([
    ["an executable in front, offsets to match", writeZip(wordEntries(), { prefix: Buffer.from("MZ".padEnd(100)) })],
    ["an executable in front", Buffer.concat([Buffer.from("MZ".padEnd(100)), writeZip(wordEntries())])],
    ["nothing in it", writeZip([])],
    ["a file in it that is no part", writeZip([{ name: "cv.txt", data: "x" }])],
    ["no entries according to its end", writeZip(wordEntries(), { claims: { entries: 0 } })],
    ["an OpenDocument text in it", writeZip([mimetype("application/vnd.oasis.opendocument.text")])],
    ["a book in it", writeZip([mimetype("application/epub+zip")])],
    ["a program in it", writeZip([{ name: "META-INF/MANIFEST.MF", data: "Main-Class: x" }])],
  ])("with %s is refused", async (_, file) => {
    expect(await judge(file, "cv.docx")).toMatchObject({ accepted: false });
  });

  test.each([0x1, 0x41])("with encrypted entries (flags %i) is refused", async (flags) => {
    const file = claiming({ flags });
    expect(await judge(file, "cv.docx")).toMatchObject({ accepted: false });
  });

  test("of 64-bit offsets is accepted when it tells the truth", async () => {
    const plain = writeZip(wordEntries());
    const directoryOffset = plain.readUInt32LE(plain.length - 6);
    const truthful = writeZip(wordEntries(), {
      claims: { entries: 0xffff, directoryOffset: 0xffffffff },
      beforeEnd: (offset) => writeZip64End(offset, 3n, BigInt(directoryOffset)),
    });
    expect(await judge(truthful, "cv.docx")).toEqual(accepted);
    // Readers that know no 64-bit offsets would go there.
    truthful.writeUInt32LE(3, truthful.length - 6);
    expect(await judge(truthful, "cv.docx")).toEqual(damaged);
  });

  test.each<[string, bigint, bigint, bigint | undefined]>([
    ["an end record at the end of all numbers", 3n, 0n, 0xffffffffffffffffn],
    ["a directory at the end of all numbers", 3n, 0xffffffffffffffffn, undefined],
    ["a directory just beyond safe numbers", 3n, 0x20000000000001n, undefined],
    ["more entries than there are numbers", 0xffffffffffffffffn, 0n, undefined],
  ])("of 64-bit offsets with %s is refused", async (_, entries, directoryOffset, locates) => {
    const beforeEnd = (offset: number) => writeZip64End(offset, entries, directoryOffset, locates);
    const file = writeZip(wordEntries(), { beforeEnd });
    expect(await judge(file, "cv.docx")).toMatchObject({ accepted: false });
  });
});

// A wrong reason sends people the wrong way, and what fails on our side is not theirs.
const macros = "Word files with macros are not accepted. Please send the document as PDF or as DOCX without macros.";
const template = "Word templates are not accepted. Please save the document as DOCX or PDF.";
const notWord = "Only PDF, DOC or DOCX files are accepted; this is a file of another kind.";
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
  const file = writeZip([...wordEntries(both), { name: "b.xml", data: "<b/>" }]);
  expect(await judge(file)).toEqual({ accepted: false, message });
});

test("a part whose type only begins like a main part's is none", async () => {
  const more = '<Override PartName="/b.xml" ContentType="application/x.main+xml.bak"/>';
  const file = writeZip([...wordEntries(contentTypesXml(wordMain, more)), { name: "b.xml", data: "<b/>" }]);
  expect(await judge(file, "cv.docx")).toMatchObject({ accepted: true });
});

test.each(["stored", "packed"])("content types have 256 KiB at most, %s", async (how) => {
  const sized = (bytes: number) =>
    writeZip(wordEntries(xml.padEnd(bytes)).map((entry) => ({ ...entry, stored: how === "stored" })));
  expect(await judge(sized(262_144), "cv.docx")).toMatchObject({ accepted: true });
  expect(await judge(sized(262_145), "cv.docx")).toEqual(damaged);
});

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
    for (const isOfTheDisk of [true, false]) {
      const error = isOfTheDisk ? new Error("EIO: i/o error, read") : new TypeError("a mistake");
      const [outcome] = await Promise.allSettled([findDocxFault(failingBytes(reads, error, isOfTheDisk))]);
      if (outcome.status === "rejected") failed += 1;
      else expect(outcome.value).toBeNull();
    }
  }
  expect(failed).toBeGreaterThan(2);
});
