// What counts as a DOC: an OLE compound file with a WordDocument stream in its root, and no macros.
import { expect, test } from "vitest";
import { useJudge } from "../../support/resumes/judge.ts";
import { type CompoundParts, wordCompound, writeCompound } from "../../support/resumes/write-compound.ts";

type Edit = (parts: CompoundParts) => void;

const judge = useJudge();
const judged = (file: Buffer, name = "cv.doc") => judge(file, name);
const stream = (name: string) => ({ name, type: "stream" as const });
const storage = (name: string, child: string) => ({ name, type: "storage" as const, children: [stream(child)] });
const word = stream("WordDocument");
const accepted = { accepted: true, kind: "doc", filename: "cv.doc" };
const damaged = { accepted: false, message: "The DOC file is incomplete or damaged." };
/** Where an entry of the directory says where its stream begins, and how long it is. */
const startOf = (entry: number) => entry * 128 + 0x74;
const sizeOf = (entry: number) => entry * 128 + 0x78;

test.each(["WordDocument", "WORDDOCUMENT", "worddocument"])("a root stream %s makes a DOC", async (name) => {
  expect(await judged(writeCompound([stream("Data"), stream(name)]))).toEqual(accepted);
});

test.each([
  ["a workbook", [stream("Workbook")]],
  ["a presentation", [stream("PowerPoint Document"), stream("Current User")]],
  ["a message", [stream("__properties_version1.0")]],
  ["a workbook with a Word document embedded", [stream("Workbook"), storage("MBD0", "WordDocument")]],
  ["a storage that is called WordDocument", [{ name: "WordDocument", type: "storage" as const }]],
  ["nothing", []],
])("%s is refused", async (_, entries) => {
  const message = expect.stringContaining("another program");
  expect(await judged(writeCompound(entries))).toMatchObject({ accepted: false, message });
});

test("an encrypted Office package is refused and its sender told why", async () => {
  const file = writeCompound([stream("EncryptionInfo"), stream("EncryptedPackage")]);
  const message = expect.stringContaining("password");
  expect(await judged(file, "cv.docx")).toMatchObject({ accepted: false, message });
});

test.each(["Macros", "MACROS", "_VBA_PROJECT_CUR", "_vba_project_cur"])(
  "a document with a storage %s in its root has macros and is refused",
  async (name) => {
    const message = expect.stringContaining("Word files with macros are not accepted.") as string;
    expect(await judged(writeCompound([word, storage(name, "dir")]))).toEqual({ accepted: false, message });
  },
);

test.each([
  ["a stream called Macros", stream("Macros")],
  ["an embedded workbook with macros", { ...storage("ObjectPool", "x"), children: [storage("Macros", "dir")] }],
])("a document with %s has no macros of its own", async (_, entry) => {
  expect(await judged(writeCompound([word, entry]))).toEqual(accepted);
});

test.each(["0Table", "1Table", "Data", "\u0005SummaryInformation"])("a stream %j has to be whole", async (name) => {
  const beyond =
    (entry: number): Edit =>
    ({ directory }) =>
      directory.writeUInt32LE(70_000, startOf(entry));
  expect(await judged(writeCompound([word, stream(name)], beyond(2)))).toEqual(damaged);
  expect(await judged(writeCompound([word, storage("ObjectPool", name)], beyond(3)))).toEqual(damaged);
});

test.each<[string, number, object]>([
  ["lie in the file", 3, accepted],
  ["lie beyond the file", 70_000, damaged],
  ["share a sector with the document", 12, damaged],
])("small streams that %s are judged by their chain, which is the root's", async (_, start, expected) => {
  // Sectors 2 to 9 hold the small streams, 10 to 17 the document.
  const file = writeCompound([stream("1Table"), word], ({ directory }) => {
    directory.writeUInt32LE(100, sizeOf(1));
    directory.writeUInt32LE(start, startOf(0));
    directory.writeUInt32LE(64, sizeOf(0));
  });
  expect(await judged(file)).toEqual(expected);
});

test.each<[string, Edit]>([
  ["a directory that runs in a circle", ({ table }) => (table[1] = 1)],
  ["a directory that goes on beyond the file", ({ table }) => (table[1] = 90_000)],
  ["a directory that begins beyond the file", ({ header }) => header.writeUInt32LE(70_000, 0x30)],
  ["a table that lies beyond the file", ({ header }) => header.writeUInt32LE(90_000, 0x4c)],
  ["no table", ({ header }) => header.writeUInt32LE(0xffffffff, 0x4c)],
  ["sectors of 4 GiB", ({ header }) => header.writeUInt16LE(32, 0x1e)],
  ["sectors of one byte", ({ header }) => header.writeUInt16LE(0, 0x1e)],
  ["a document stream in a circle", ({ table, directory: of }) => (table[firstOf(of) + 2] = firstOf(of))],
  ["a document stream that ends early", ({ table, directory: of }) => (table[firstOf(of)] = 0xfffffffe)],
  ["a document stream beyond the file", ({ directory }) => directory.writeUInt32LE(80_000, startOf(2))],
  ["a document stream of 4 GiB", ({ directory }) => directory.writeUInt32LE(0xffffffff, sizeOf(2))],
])("%s is refused", async (_, edit) => {
  expect(await judged(wordCompound(edit))).toEqual(damaged);
});

const firstOf = (directory: Buffer) => directory.readUInt32LE(startOf(2));

test.each<[string, Edit]>([
  ["a tree of entries in a circle", ({ directory }) => directory.writeUInt32LE(1, 3 * 128 + 0x48)],
  ["an entry that is its own neighbour", ({ directory }) => directory.writeUInt32LE(3, 3 * 128 + 0x44)],
  ["neighbours that do not exist", ({ directory }) => directory.writeUInt32LE(77_777, 3 * 128 + 0x44)],
  ["garbage in the upper half of a size", ({ directory }) => directory.writeUInt32LE(0xcccccccc, sizeOf(2) + 4)],
])("%s does not keep a document from being found", async (_, edit) => {
  expect(await judged(wordCompound(edit))).toEqual(accepted);
});

test("a directory may have 8,192 entries, and hides no macros behind them", async () => {
  const folders = Array.from({ length: 8_190 }, (_, index) => ({ name: `${index}`, type: "storage" as const }));
  expect(await judged(writeCompound([word, ...folders], undefined, 12))).toEqual(accepted);
  const more = [word, ...folders, storage("Macros", "dir")];
  expect(await judged(writeCompound(more, undefined, 12))).toEqual(damaged);
});

test("macros are found in a directory that is cut short at the end of the file", async () => {
  const entries = [word, stream("1Table"), { name: "Macros", type: "storage" as const }];
  let moved = Buffer.alloc(0);
  const file = writeCompound(entries, ({ header, table, directory }) => {
    header.writeUInt32LE(table.push(0xfffffffe) - 1, 0x30);
    moved = Buffer.from(directory);
  });
  for (const cut of [0, 1, 40]) {
    const whole = Buffer.concat([file, moved]);
    expect(await judged(whole.subarray(0, whole.length - cut))).toMatchObject({
      accepted: false,
      message: expect.stringContaining("macros") as string,
    });
  }
});

test("only the header is not a document", async () => {
  for (const bytes of [512, 8]) expect(await judged(wordCompound().subarray(0, bytes))).toEqual(damaged);
});

// Where exactly the judge of DOC files draws its lines: the last sector, the marks at the end of chains, small streams,
// sectors of both sizes. One document: sector 0 is the table, 1 the directory, 2 to 9 the document.
const alone = (edit?: Edit) => writeCompound([word], edit);

test("the last sector may be cut short, and must begin", async () => {
  expect(await judged(alone().subarray(0, -511))).toEqual(accepted);
  expect(await judged(alone().subarray(0, -512))).toEqual(damaged);
});

test.each([9, 10, 11, 12])("sectors are of 512 or 4,096 bytes: 2 to the power of %i", async (shift) => {
  expect(await judged(writeCompound([word], undefined, shift))).toEqual([9, 12].includes(shift) ? accepted : damaged);
});

test.each([0xfffffffa, 0xfffffffe, 0xffffffff])("a chain ends at the mark %i", async (mark) => {
  expect(await judged(alone(({ table }) => (table[9] = mark)))).toEqual(accepted);
});

test("a chain that goes on after the end of its stream is not followed", async () => {
  const longer = alone(({ directory, table }) => {
    directory.writeUInt32LE(4_096, sizeOf(1));
    // In a circle, one sector after the last that is needed.
    table[9] = 2;
  });
  expect(await judged(longer)).toEqual(accepted);
});

test.each<[string, Edit, object]>([
  ["100 bytes", () => {}, accepted],
  ["the most bytes", ({ directory }) => directory.writeUInt32LE(4_095, sizeOf(1)), accepted],
  ["a byte too many", ({ directory }) => directory.writeUInt32LE(4_096, sizeOf(1)), damaged],
  ["no table", ({ header }) => header.writeUInt32LE(0xffffffff, 0x4c), damaged],
  [
    "more bytes than the file",
    ({ header, directory }) => {
      header.writeUInt32LE(0xffffffff, 0x38);
      directory.writeUInt32LE(1_000_000, sizeOf(1));
    },
    damaged,
  ],
])("a document that lies in the mini stream has no chain of its own: %s", async (_, edit, expected) => {
  const file = alone((parts) => {
    parts.directory.writeUInt32LE(70_000, startOf(1));
    parts.directory.writeUInt32LE(100, sizeOf(1));
    edit(parts);
  });
  expect(await judged(file)).toEqual(expected);
});

test("a table that ends within the file's last sector tells nothing", async () => {
  const file = alone(({ header }) => header.writeUInt32LE(9, 0x4c));
  for (const bytes of [1, 2, 4, 6, 7])
    expect(await judged(file.subarray(0, 10 * 512 + bytes)), `${bytes} bytes`).toEqual(damaged);
});

test("a directory of less than one entry holds no document", async () => {
  const file = alone(({ header, table }) => {
    header.writeUInt32LE(9, 0x30);
    table[9] = 0xfffffffe;
  });
  const message = expect.stringContaining("this is a file of another program.") as string;
  expect(await judged(file.subarray(0, 10 * 512 + 100))).toEqual({ accepted: false, message });
});
