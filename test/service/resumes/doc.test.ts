// What counts as a DOC: an OLE compound file with a WordDocument stream in its root, and no macros.
import { expect, test } from "vitest";
import { useJudge } from "../../support/resumes/judge.ts";
import { type CompoundParts, wordCompound, writeCompound } from "../../support/resumes/write-compound.ts";

const judge = useJudge();
const stream = (name: string) => ({ name, type: "stream" as const });
const damaged = { accepted: false, message: "The DOC file is incomplete or damaged." };

test.each(["WordDocument", "WORDDOCUMENT", "worddocument"])("a root stream %s makes a DOC", async (name) => {
  const file = writeCompound([stream("Data"), stream(name)]);
  expect(await judge(file, "cv.doc")).toEqual({ accepted: true, kind: "doc", filename: "cv.doc" });
});

test.each([
  ["a workbook", [stream("Workbook")]],
  ["a presentation", [stream("PowerPoint Document"), stream("Current User")]],
  ["a message", [stream("__properties_version1.0")]],
  [
    "a workbook with a Word document embedded",
    [stream("Workbook"), { name: "MBD0", type: "storage" as const, children: [stream("WordDocument")] }],
  ],
  ["a storage that is called WordDocument", [{ name: "WordDocument", type: "storage" as const }]],
  ["nothing", []],
])("%s is refused", async (_, entries) => {
  const inspection = await judge(writeCompound(entries), "cv.doc");
  expect(inspection).toMatchObject({ accepted: false, message: expect.stringContaining("another program") });
});

test("an encrypted Office package is refused and its sender told why", async () => {
  const file = writeCompound([stream("EncryptionInfo"), stream("EncryptedPackage")]);
  const inspection = await judge(file, "cv.docx");
  expect(inspection).toMatchObject({ accepted: false, message: expect.stringContaining("password") });
});

const storage = (name: string) => ({ name, type: "storage" as const, children: [stream("dir")] });

test.each(["Macros", "MACROS", "_VBA_PROJECT_CUR", "_vba_project_cur"])(
  "a document with a storage %s in its root has macros and is refused",
  async (name) => {
    const file = writeCompound([stream("WordDocument"), storage(name)]);
    expect(await judge(file, "cv.doc")).toEqual({
      accepted: false,
      message: "Word files with macros are not accepted. Please send the document as PDF or as DOCX without macros.",
    });
  },
);

test.each([
  ["a stream called Macros", stream("Macros")],
  ["an embedded workbook with macros", { name: "ObjectPool", type: "storage" as const, children: [storage("Macros")] }],
])("a document with %s has no macros of its own", async (_, entry) => {
  const file = writeCompound([stream("WordDocument"), entry]);
  expect(await judge(file, "cv.doc")).toMatchObject({ accepted: true, kind: "doc" });
});

test.each(["0Table", "1Table", "Data", "\u0005SummaryInformation"])("a stream %j has to be whole", async (name) => {
  const beyondTheFile = ({ directory }: CompoundParts) => directory.writeUInt32LE(70_000, 2 * 128 + 0x74);
  const embedded = { name: "ObjectPool", type: "storage" as const, children: [stream(name)] };
  expect(await judge(writeCompound([stream("WordDocument"), stream(name)], beyondTheFile), "cv.doc")).toEqual(damaged);
  const within = writeCompound([stream("WordDocument"), embedded], ({ directory }) =>
    directory.writeUInt32LE(70_000, 3 * 128 + 0x74),
  );
  expect(await judge(within, "cv.doc")).toEqual(damaged);
});

test.each<[string, number, object]>([
  ["lie in the file", 3, { accepted: true }],
  ["lie beyond the file", 70_000, damaged],
  ["share a sector with the document", 12, damaged],
])("small streams that %s are judged by their chain, which is the root's", async (_, start, expected) => {
  // Sectors 2 to 9 hold the small streams, 10 to 17 the document.
  const file = writeCompound([stream("1Table"), stream("WordDocument")], ({ directory }) => {
    directory.writeUInt32LE(100, 128 + 0x78);
    directory.writeUInt32LE(start, 0x74);
    directory.writeUInt32LE(64, 0x78);
  });
  expect(await judge(file, "cv.doc")).toMatchObject(expected);
});

test.each<[string, (parts: CompoundParts) => void]>([
  ["a directory that runs in a circle", ({ table }) => (table[1] = 1)],
  ["a directory that goes on beyond the file", ({ table }) => (table[1] = 90_000)],
  ["a directory that begins beyond the file", ({ header }) => header.writeUInt32LE(70_000, 0x30)],
  ["a table that lies beyond the file", ({ header }) => header.writeUInt32LE(90_000, 0x4c)],
  ["no table", ({ header }) => header.writeUInt32LE(0xffffffff, 0x4c)],
  ["sectors of 4 GiB", ({ header }) => header.writeUInt16LE(32, 0x1e)],
  ["sectors of one byte", ({ header }) => header.writeUInt16LE(0, 0x1e)],
  [
    "a document stream in a circle",
    ({ table, directory }) =>
      (table[directory.readUInt32LE(2 * 128 + 0x74) + 2] = directory.readUInt32LE(2 * 128 + 0x74)),
  ],
  [
    "a document stream that ends early",
    ({ table, directory }) => (table[directory.readUInt32LE(2 * 128 + 0x74)] = 0xfffffffe),
  ],
  ["a document stream beyond the file", ({ directory }) => directory.writeUInt32LE(80_000, 2 * 128 + 0x74)],
  ["a document stream of 4 GiB", ({ directory }) => directory.writeUInt32LE(0xffffffff, 2 * 128 + 0x78)],
])("%s is refused", async (_, edit) => {
  expect(await judge(wordCompound(edit), "cv.doc")).toEqual(damaged);
});

test.each<[string, (parts: CompoundParts) => void]>([
  ["a tree of entries in a circle", ({ directory }) => directory.writeUInt32LE(1, 3 * 128 + 0x48)],
  ["an entry that is its own neighbour", ({ directory }) => directory.writeUInt32LE(3, 3 * 128 + 0x44)],
  ["neighbours that do not exist", ({ directory }) => directory.writeUInt32LE(77_777, 3 * 128 + 0x44)],
  ["garbage in the upper half of a size", ({ directory }) => directory.writeUInt32LE(0xcccccccc, 2 * 128 + 0x7c)],
])("%s does not keep a document from being found", async (_, edit) => {
  expect(await judge(wordCompound(edit), "cv.doc")).toMatchObject({ accepted: true, kind: "doc" });
});

test("only the header is not a document", async () => {
  expect(await judge(wordCompound().subarray(0, 512), "cv.doc")).toEqual(damaged);
  expect(await judge(wordCompound().subarray(0, 8), "cv.doc")).toEqual(damaged);
});

// Where exactly the judge of DOC files draws its lines: the last sector, the marks at the end of chains, small streams,
// sectors of both sizes.
const accepted = { accepted: true, kind: "doc", filename: "cv.doc" };
// One document: sector 0 is the table, 1 the directory, 2 to 9 the document.
const document = { name: "WordDocument", type: "stream" as const };
const alone = (edit?: (parts: CompoundParts) => void) => writeCompound([document], edit);
const [startAt, sizeAt] = [128 + 0x74, 128 + 0x78];

test("the last sector may be cut short, and must begin", async () => {
  const file = alone();
  expect(await judge(file.subarray(0, -511), "cv.doc")).toEqual(accepted);
  expect(await judge(file.subarray(0, -512), "cv.doc")).toEqual(damaged);
});

test("sectors are of 512 or 4,096 bytes", async () => {
  for (const [shift, expected] of [
    [9, accepted],
    [10, damaged],
    [11, damaged],
    [12, accepted],
  ] as const) {
    expect(await judge(writeCompound([document], undefined, shift), "cv.doc")).toEqual(expected);
  }
});

test.each([0xfffffffa, 0xfffffffe, 0xffffffff])("a chain ends at the mark %i", async (mark) => {
  expect(
    await judge(
      alone(({ table }) => (table[9] = mark)),
      "cv.doc",
    ),
  ).toEqual(accepted);
});

test("a chain that goes on after the end of its stream is not followed", async () => {
  const longer = alone(({ directory, table }) => {
    directory.writeUInt32LE(4_096, sizeAt);
    // In a circle, one sector after the last that is needed.
    table[9] = 2;
  });
  expect(await judge(longer, "cv.doc")).toEqual(accepted);
});

test("a document that lies in the mini stream has no chain of its own", async () => {
  const small = (edit: (parts: CompoundParts) => void = () => {}) =>
    alone((parts) => {
      parts.directory.writeUInt32LE(70_000, startAt);
      parts.directory.writeUInt32LE(100, sizeAt);
      edit(parts);
    });
  expect(await judge(small(), "cv.doc")).toEqual(accepted);
  expect(
    await judge(
      small(({ directory }) => directory.writeUInt32LE(4_095, sizeAt)),
      "cv.doc",
    ),
  ).toEqual(accepted);
  expect(
    await judge(
      small(({ directory }) => directory.writeUInt32LE(4_096, sizeAt)),
      "cv.doc",
    ),
  ).toEqual(damaged);
  const noTable = small(({ header }) => header.writeUInt32LE(0xffffffff, 0x4c));
  expect(await judge(noTable, "cv.doc")).toEqual(damaged);
  const longerThanTheFile = small(({ header, directory }) => {
    header.writeUInt32LE(0xffffffff, 0x38);
    directory.writeUInt32LE(1_000_000, sizeAt);
  });
  expect(await judge(longerThanTheFile, "cv.doc")).toEqual(damaged);
});

test("a table that ends within the file's last sector tells nothing", async () => {
  const file = alone(({ header }) => header.writeUInt32LE(9, 0x4c));
  for (const bytes of [1, 2, 4, 6, 7]) {
    expect(await judge(file.subarray(0, 10 * 512 + bytes), "cv.doc"), `${bytes} bytes`).toEqual(damaged);
  }
});

test("a directory of less than one entry holds no document", async () => {
  const file = alone(({ header, table }) => {
    header.writeUInt32LE(9, 0x30);
    table[9] = 0xfffffffe;
  });
  expect(await judge(file.subarray(0, 10 * 512 + 100), "cv.doc")).toEqual({
    accepted: false,
    message: "Only PDF, DOC or DOCX files are accepted; this is a file of another program.",
  });
});
