// The judges work in proportion to what they read, and never long on a file of 5 MiB. Work is counted, not timed.
import { Session } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { cleanFilename, formFilename } from "../../../server/src/resumes/display-name.ts";
import { nightly, someOf } from "../../support/many-or-few.ts";
import { useJudge } from "../../support/resumes/judge.ts";
import { wordCompound } from "../../support/resumes/write-compound.ts";
import { wordEntries, writeZip, type ZipEntry } from "../../support/resumes/write-zip.ts";

const judge = useJudge();
let counting: Awaited<ReturnType<typeof startCounting>>;
beforeAll(async () => {
  counting = await startCounting("server/src/resumes/");
});
afterAll(() => counting[Symbol.asyncDispose]());

const work = (file: Buffer) => counting.count(() => judge(file));

const largest = 5 * 1024 * 1024;
/** A block takes one or two nanoseconds, so this is some 20 ms, with pauses for reading in between. */
const workMax = 12_000_000;

const withTypes = (xml: string) => writeZip(wordEntries(xml));
const filled = (unit: string) => (size: number) =>
  withTypes(`<Types>${unit.repeat(Math.floor((size - 15) / unit.length))}</Types>`);
const withEntries = (count: number, entry: (index: number) => ZipEntry) =>
  writeZip([...wordEntries(), ...Array.from({ length: count }, (_, index) => entry(index))]);

/** A DOC of so many bytes whose directory is a chain through all of it. */
function longDirectory(size: number): Buffer {
  const file = Buffer.alloc(size);
  wordCompound().copy(file);
  for (let sector = 0; sector < 109; sector += 1) file.writeUInt32LE(sector, 0x4c + sector * 4);
  for (let offset = 512; offset + 4 <= size; offset += 4) file.writeUInt32LE((offset - 512) / 4 + 1, offset);
  return file;
}

/** A DOC whose document's chain leaps from one sector of the table to another with every link. */
function leapingChain(size: number): Buffer {
  const file = Buffer.alloc(size);
  wordCompound().copy(file);
  const sectors = Math.floor(size / 512) - 1;
  const tableSectors = Math.ceil(sectors / 128);
  const first = sectors - tableSectors;
  for (let index = 0; index < Math.min(tableSectors, 109); index += 1) {
    file.writeUInt32LE(index === 0 ? 0 : first + index, 0x4c + index * 4);
  }
  const span = first - 128;
  for (let sector = 128; sector < first; sector += 1) {
    const next = ((sector - 128 + 128 * 17) % span) + 128;
    const table = Math.floor(sector / 128);
    file.writeUInt32LE(next, (first + table + 1) * 512 + (sector % 128) * 4);
  }
  file.writeUInt32LE(128, 1_024 + 2 * 128 + 0x74);
  file.writeUInt32LE(size, 1_024 + 2 * 128 + 0x78);
  return file;
}

const kib = 1_024;
const byLength: readonly (readonly [string, (size: number) => Buffer, number])[] = [
  ["tags", filled("<a/>"), 30 * kib],
  ["defaults", filled('<Default Extension="x" ContentType="y"/>'), 128 * kib],
  ["comments", filled("<!---->"), 60 * kib],
  ["comments without an end", filled("<!--"), 128 * kib],
  ["instructions", filled("<??>"), 30 * kib],
  ["brackets", filled("<"), 128 * kib],
  ["spaces", (size) => withTypes(`<Default${" ".repeat(size)}Extension="a" b`), 120 * kib],
  ["a long name", (size) => withTypes(`<${"a".repeat(size)}`), 120 * kib],
  ["a name of many colons", (size) => withTypes(`<${":a".repeat(size / 2)}/>`), 120 * kib],
  ["a value without an end", (size) => withTypes(`<a b="${"c=' ".repeat(size / 4)}`), 120 * kib],
  ["references", (size) => withTypes(`<a ContentType="${"&lt;".repeat(size / 4)}"/>`), 120 * kib],
  ["halves of references", (size) => withTypes(`<a ContentType="${"&#1234567".repeat(size / 9)}"/>`), 120 * kib],
  [
    "attributes",
    (size) => withTypes(`<a ${Array.from({ length: size / 10 }, (_, n) => `b${n}=""`).join(" ")}/>`),
    64 * kib,
  ],
  ["entries", (size) => withEntries(size, (index) => ({ name: `word/${index}`, data: "" })), 480],
  ["relationships", (size) => withEntries(size, (index) => ({ name: `word/_rels/${index}.rels`, data: "<a/>" })), 480],
  ["long names", (size) => withEntries(size, (index) => ({ name: `${index}`.padEnd(500, "İ"), data: "" })), 250],
  ["a directory", longDirectory, 512 * kib],
  ["a chain", leapingChain, largest / 2],
  ["padding", (size) => Buffer.concat([Buffer.from("%PDF-"), Buffer.alloc(size - 5)]), largest / 2],
  ["end records", (size) => Buffer.alloc(size, Buffer.from("PK\u0003\u0004PK\u0005\u0006")), largest / 2],
];

test.each(someOf(byLength))("twice the size is at most 2.2 times the work: %s", async (_, make, size) => {
  const [one, two] = [await work(make(size)), await work(make(2 * size))];
  expect(one).toBeGreaterThan(0);
  expect(two / one, `${one} and ${two}`).toBeLessThanOrEqual(2.2);
});

nightly.each(byLength.map(([name, make]) => [name, make] as const))(
  "the work for a file of the largest size is bounded: %s",
  async (name, make) => {
    const sizes = ["entries", "relationships", "long names"].includes(name) ? [997, 5_000] : [256 * kib, largest];
    for (const size of sizes) expect(await work(make(size).subarray(0, largest))).toBeLessThan(workMax);
  },
);

describe("cleaning a name", () => {
  test.each([" ", ".", ". ", "a.", "\u200b", "/", "\u202e", "\u0301\u0323", "%22"])(
    "of twice the length is at most 2.2 times the work: %j",
    async (unit) => {
      const clean = (times: number) =>
        counting.count(async () => cleanFilename(formFilename(`a${unit.repeat(times)}b c.pdf`)));
      const [one, two] = [await clean(10_000), await clean(20_000)];
      expect(two / one).toBeLessThanOrEqual(2.2);
    },
  );

  test("composes no more than what is kept: composing a run of marks takes the square of its length", () => {
    const normalize = vi.spyOn(String.prototype, "normalize");
    expect(cleanFilename(`a${"\u0301\u0323".repeat(20_000)}.pdf`)).toMatch(/\.pdf$/);
    expect(normalize.mock.contexts.map((text) => String(text).length > 255)).toEqual([false]);
    normalize.mockRestore();
  });
});

// Call it before the code runs for the first time: V8 counts only what it compiles from now on. Its optimizers are off
// meanwhile, because a function that they have inlined is no longer counted. Of a function its most frequent block counts: V8
// lists a block only if its count differs from that around it.
async function startCounting(
  folder: string,
): Promise<AsyncDisposable & { count(run: () => Promise<unknown>): Promise<number> }> {
  setFlagsFromString("--no-opt");
  setFlagsFromString("--no-maglev");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const take = async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ url }) => url.includes(folder))
      .flatMap(({ functions }) => functions)
      .reduce((sum, { ranges }) => sum + Math.max(...ranges.map(({ count }) => count)), 0);
  };
  return {
    async count(run) {
      await take();
      await run();
      return take();
    },
    async [Symbol.asyncDispose]() {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
      setFlagsFromString("--maglev");
      setFlagsFromString("--opt");
    },
  };
}
