// No input costs more than its length. Two proofs: a text over the raw limit is refused before any pattern, cleaning or
// parser sees it, and for texts below it twice the length takes at most 2.2 times the work.
import { afterEach, expect, test, vi } from "vitest";
import { inquiryInput } from "./inquiry.ts";
import { packageIdsMax } from "./limits.ts";
import { applicationRules, inquiryRules, packageIdsRule } from "./rules.ts";
import { normaliseSource } from "./source.ts";
import { rawLengthFactor, readText, type TextRule } from "./text.ts";

const rules: Readonly<Record<string, TextRule>> = {
  ...inquiryRules,
  packageId: packageIdsRule.item,
  ...applicationRules,
};

const distinctLetters = (length: number) =>
  Array.from({ length }, (_, index) => String.fromCharCode(0x4e00 + (index % 20_000))).join("");

/** Texts of about so many code units that are the worst for one pattern, normaliser or parser or another. */
const worst: Readonly<Record<string, (length: number) => string>> = {
  "marks without end": (length) => `a${"\u0301\u0323".repeat(length / 2)}`,
  "marks in runs of 49, in the wrong order": (length) =>
    `a${"\u0301".repeat(25)}${"\u0323".repeat(24)}`.repeat(length / 50),
  "marks that decompose into two": (length) => `a${"\u0344\u0323".repeat(24)}`.repeat(length / 49),
  "blanks inside": (length) => `é${" ".repeat(length)}é`,
  "zero-width characters": (length) => "\u200B".repeat(length),
  "bidirectional overrides": (length) => `${"\u202E".repeat(length)}a`,
  "carriage returns": (length) => `é${"\r".repeat(length)}a`,
  "an international host": (length) => `a@${distinctLetters(length)}.org`,
  "a host of many labels": (length) => `a@${"b.".repeat(length / 2)}org`,
  "a host of hyphens": (length) => `a@${"b-".repeat(length / 2)}`,
  "a local part of many dots": (length) => `${"a.".repeat(length / 2)}@example.org`,
  "at signs": (length) => "a@b.".repeat(length / 4),
  "encoded at signs": (length) => `/${"%2540a".repeat(length / 6)}`,
  "percent signs": (length) => `/${"%25".repeat(length / 3)}`,
  "an address with an international host": (length) => `https://${distinctLetters(length)}.org`,
  "an address of many slashes": (length) => `https:${"/".repeat(length)}`,
  "a path of many steps back": (length) => `https://a.org/${"../a/".repeat(length / 5)}`,
  "digits and extensions": (length) => "1 ext".repeat(length / 5),
  "digits and blanks": (length) => `+1 ext${" ".repeat(length)}`,
  "letters that compatibility makes eighteen": (length) => "\uFDFA".repeat(length),
};

afterEach(() => vi.restoreAllMocks());

const cases = Object.entries(rules).flatMap(([name, rule]) =>
  Object.entries(worst).map(([kind, text]) => ({ name, rule, kind, text })),
);

test.each(Object.entries(rules))("%s over its raw limit is refused unread", (_, rule) => {
  const readers = [
    vi.spyOn(RegExp.prototype, "exec"),
    vi.spyOn(RegExp.prototype, "test"),
    vi.spyOn(String.prototype, "normalize"),
    vi.spyOn(String.prototype, "replace"),
    vi.spyOn(String.prototype, "trim"),
    vi.spyOn(String.prototype, "toLowerCase"),
    vi.spyOn(URL, "parse"),
  ];
  const tooLong = "a".repeat(rawLengthFactor * rule.lengthMax + 1);
  const reading = readText(rule, tooLong);
  const calls = readers.map(({ mock }) => mock.calls.length);
  expect(reading.problem).toMatch(/^At most [\d,]+ characters\.$/);
  expect(calls).toEqual(readers.map(() => 0));
});

test("hosts over 253 and web addresses over 2,048 are never parsed", () => {
  const parse = vi.spyOn(URL, "parse");
  readText(rules["email"]!, `a@${"ü".repeat(254)}`);
  readText(rules["portfolioUrl"]!, `https://${"ü".repeat(260)}`);
  readText(rules["portfolioUrl"]!, `https://example.org/${"ü".repeat(2_030)}`);
  expect(parse).not.toHaveBeenCalled();
});

test("a list of too many identifiers is refused unread, with one issue", () => {
  const ids = Array.from({ length: packageIdsMax + 1 }, () => "a");
  let read = 0;
  for (const index of ids.keys()) Object.defineProperty(ids, index, { get: () => (read += 1) });
  const { error } = inquiryInput.safeParse({ name: "Ann", email: "ann@example.org", selectedPackageIds: ids });
  expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [["selectedPackageIds"], packageIdsRule.max[1]],
  ]);
  expect(read).toBe(0);
});

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Compares the work for a text and for one of twice its length. Measures again while the machine is busy elsewhere. */
function expectLinear(work: (text: string) => unknown, text: (length: number) => string, length: number): void {
  const [one, two] = [text(length), text(2 * length)];
  let [half, whole, rounds] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  do {
    half = Math.min(
      half,
      timeOf(() => work(one)),
    );
    whole = Math.min(
      whole,
      timeOf(() => work(two)),
    );
    rounds += 1;
    // What takes less than a fifth of a millisecond is not worth comparing.
  } while (whole > Math.max(2.2 * half, 0.2) && (rounds < 3 || (rounds < 100 && whole < 50)));
  expect(whole).toBeLessThanOrEqual(Math.max(2.2 * half, 0.2));
}

test.each(cases)("$name of $kind takes work in proportion to its length", ({ rule, text }) => {
  expectLinear((raw) => readText(rule, raw), text, (rawLengthFactor * rule.lengthMax) / 2);
});

// Most limits are so low that any work is quick. The same rules with a high limit show the patterns themselves.
const unbounded = cases.map((one) => ({ ...one, rule: { ...one.rule, lengthMax: 110_000 } }));

test.each(unbounded)("without its limit, $name of $kind takes work in proportion to its length", ({ rule, text }) => {
  expectLinear((raw) => readText(rule, raw), text, 50_000);
});

test.each(Object.entries(worst))("the label of a source takes work in proportion to %s", (_, text) => {
  expectLinear(normaliseSource, text, 1_900);
  expectLinear(normaliseSource, (length) => `/${text(length)}`, 1_900);
  expectLinear(normaliseSource, text, 65_536);
});
