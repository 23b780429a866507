// Where exactly the judge of DOC files draws its lines: the last sector, the marks at the end of chains, small streams,
// sectors of both sizes.
import { expect, test } from "vitest";
import { useJudge } from "../../support/resumes/judge.ts";
import { writeCompound, type CompoundParts } from "../../support/resumes/write-compound.ts";

const judge = useJudge();
const accepted = { accepted: true, kind: "doc", filename: "cv.doc" };
const damaged = { accepted: false, message: "The DOC file is incomplete or damaged." };
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
