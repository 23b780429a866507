// No bytes make a judge throw or take long: cut files, flipped bits, random bytes behind every signature.
import fc from "fast-check";
import { expect, test } from "vitest";
import { smallPdf, useJudge } from "./judge.ts";
import { wordCompound } from "./write-compound.ts";
import { wordEntries, writeZip, writeZip64End } from "./write-zip.ts";

const judge = useJudge();
const bases: readonly (readonly [string, Buffer])[] = [
  ["PDF", Buffer.from(smallPdf)],
  ["DOC", wordCompound()],
  ["DOCX", writeZip(wordEntries())],
  ["64-bit DOCX", writeZip(wordEntries(), { beforeEnd: (offset) => writeZip64End(offset, 3n, 0n) })],
];

/** The largest work that any content may cause takes some ten milliseconds; a busy machine is given a hundredfold. */
const judgementMsMax = 2_000;

const judgeInTime = async (content: Uint8Array) => {
  const begun = performance.now();
  const inspection = await judge(content);
  expect(performance.now() - begun).toBeLessThan(judgementMsMax);
  return inspection;
};

test.each(bases.filter(([name]) => name === "PDF" || name === "DOCX"))(
  "a %s cut anywhere is refused or whole",
  async (name, file) => {
    for (let length = 0; length < file.length; length += 1) {
      const { accepted } = await judgeInTime(file.subarray(0, length));
      // A PDF is whole from its first end mark on; a ZIP only at its last byte.
      if (accepted) expect(name === "PDF" && length >= smallPdf.indexOf("startxref")).toBe(true);
    }
  },
);

test("a DOC cut anywhere is refused up to the last sector of its document", async () => {
  const file = wordCompound();
  // Header, table, directory, 1Table; then the document's eight sectors, the last of which may be cut short.
  const documentEnd = (3 + 8 + 8) * 512;
  for (let length = 0; length < file.length; length += length < 1_600 ? 1 : 37) {
    const { accepted } = await judgeInTime(file.subarray(0, length));
    expect(accepted, `${length} bytes`).toBe(length > documentEnd - 512);
  }
});

test.each(bases)("a %s with changed bytes is judged", async (_, file) => {
  const change = fc.record({
    at: fc.nat(file.length - 1),
    byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xfe, 0xff), fc.nat(255)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const changed = Buffer.from(file);
      for (const { at, byte } of changes) changed[at] = byte;
      expect(await judgeInTime(changed)).toHaveProperty("accepted");
    }),
    { numRuns: 500 },
  );
});

test.each(bases)("a %s with every byte of its structure set to 0xff in turn is judged", async (_, file) => {
  const structure = [...file.keys()].filter((at) => at < 1_600 || at > file.length - 200);
  for (const at of structure) {
    const changed = Buffer.from(file);
    changed.fill(0xff, at, Math.min(at + 4, file.length));
    expect(await judgeInTime(changed)).toHaveProperty("accepted");
  }
});

test("random bytes behind every signature are judged", async () => {
  const signature = fc.constantFrom(
    Buffer.from("%PDF-"),
    Buffer.from("PK\u0003\u0004"),
    wordCompound().subarray(0, 512),
    Buffer.alloc(0),
  );
  await fc.assert(
    fc.asyncProperty(signature, fc.uint8Array({ maxLength: 4_096 }), async (head, rest) => {
      expect(await judgeInTime(Buffer.concat([head, rest]))).toHaveProperty("accepted");
    }),
    { numRuns: 500 },
  );
});

test("the largest files that give a judge the most to do are judged in time", async () => {
  const largest = 5 * 1024 * 1024;
  const directoryOnly = Buffer.alloc(largest, 0);
  wordCompound().copy(directoryOnly);
  // Every sector is the directory's and every entry a neighbour of the next.
  for (let sector = 0; sector < 109; sector += 1) directoryOnly.writeUInt32LE(sector, 0x4c + sector * 4);
  for (let offset = 512; offset + 4 <= largest; offset += 4)
    directoryOnly.writeUInt32LE((offset - 512) / 4 + 1, offset);
  // The document's chain leaps from one sector of the table to another with every link.
  const leaping = wordCompound();
  const leaps = Buffer.alloc(largest);
  leaping.copy(leaps);
  for (let index = 0; index < 79; index += 1) leaps.writeUInt32LE(index === 0 ? 0 : 10_000 + index, 0x4c + index * 4);
  for (let sector = 128; sector < 10_000; sector += 1) {
    const next = ((sector - 128 + 128 * 17) % (10_000 - 128)) + 128;
    leaps.writeUInt32LE(next, (10_001 + Math.floor(sector / 128)) * 512 + (sector % 128) * 4);
  }
  leaps.writeUInt32LE(128, 1_024 + 2 * 128 + 0x74);
  leaps.writeUInt32LE(largest, 1_024 + 2 * 128 + 0x78);
  const endRecords = Buffer.alloc(largest, Buffer.from("PK\u0005\u0006PK\u0003\u0004"));
  Buffer.from("PK\u0003\u0004").copy(endRecords);
  const longNames = writeZip(
    Array.from({ length: 75 }, (_, index) => ({ name: `${index}`.padEnd(65_000, "a/"), data: "", stored: true })),
  ).subarray(0, largest);
  const padding = Buffer.alloc(largest);
  padding.write("%PDF-");
  for (const content of [directoryOnly, leaps, endRecords, longNames, padding]) {
    expect(await judgeInTime(content)).toMatchObject({ accepted: false });
  }
});
