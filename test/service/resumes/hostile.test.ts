// No bytes make a judge throw: cut files, changed bytes, random bytes behind every signature.
import fc from "fast-check";
import { expect, test } from "vitest";
import { atNight, manyOrFew } from "../../support/many-or-few.ts";
import { smallPdf, useJudge } from "../../support/resumes/judge.ts";
import { wordCompound } from "../../support/resumes/write-compound.ts";
import { wordEntries, writeZip, writeZip64End } from "../../support/resumes/write-zip.ts";

const judge = useJudge();
/** By day every third length: an odd step meets each byte of the fields of 2, 4 and 8 bytes. */
const step = atNight ? 1 : 3;
const bases: readonly (readonly [string, Buffer])[] = [
  ["PDF", Buffer.from(smallPdf)],
  ["DOC", wordCompound()],
  ["DOCX", writeZip(wordEntries())],
  ["64-bit DOCX", writeZip(wordEntries(), { beforeEnd: (offset) => writeZip64End(offset, 3n, 0n) })],
];

test.each(bases.filter(([name]) => name === "PDF" || name === "DOCX"))(
  "a %s cut anywhere is refused or whole",
  async (name, file) => {
    for (let length = 0; length < file.length; length += step) {
      const { accepted } = await judge(file.subarray(0, length));
      // A PDF is whole from its first end mark on; a ZIP only at its last byte.
      if (accepted) expect(name === "PDF" && length >= smallPdf.indexOf("startxref")).toBe(true);
    }
  },
);

test("a DOC cut anywhere is refused up to its last sector, which may be cut short", async () => {
  const file = wordCompound();
  for (let length = 0; length < file.length; length += length < 1_600 ? step : 37) {
    const { accepted } = await judge(file.subarray(0, length));
    expect(accepted, `${length} bytes`).toBe(length > file.length - 512);
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
      expect(await judge(changed)).toHaveProperty("accepted");
    }),
    { numRuns: manyOrFew(500) },
  );
});

test.each(bases)("a %s with every byte of its structure set to 0xff in turn is judged", async (_, file) => {
  const structure = [...file.keys()].filter((at) => at < 1_600 || at > file.length - 200);
  // Fields are of 2, 4 or 8 bytes: an odd step meets each of their bytes.
  const stride = Math.floor(structure.length / manyOrFew(structure.length)) | 1;
  for (const at of structure.filter((_at, index) => index % stride === 0)) {
    const changed = Buffer.from(file);
    changed.fill(0xff, at, Math.min(at + 4, file.length));
    expect(await judge(changed)).toHaveProperty("accepted");
  }
});

test("random bytes behind every signature are judged", async () => {
  const texts = ["%PDF-", "PK\u0003\u0004", ""].map((text) => Buffer.from(text));
  const signature = fc.constantFrom(...texts, wordCompound().subarray(0, 512));
  await fc.assert(
    fc.asyncProperty(signature, fc.uint8Array({ maxLength: 4_096 }), async (head, rest) => {
      expect(await judge(Buffer.concat([head, rest]))).toHaveProperty("accepted");
    }),
    { numRuns: manyOrFew(500) },
  );
});
