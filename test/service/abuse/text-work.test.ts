// No text costs more than its length: eight times the length takes at most 2.2 × 2.2 × 2.2 times the work. Three doublings
// at once, because a ratio of two measurements is too coarse to tell 2.0 from 2.2.
import { applicationFields } from "@submissions/shared/application-fields";
import { inquiryFields } from "@submissions/shared/inquiry-fields";
import { normaliseSource } from "@submissions/shared/source";
import { readText, type TextRule } from "@submissions/shared/text";
import { expect, test } from "vitest";
import { someOf } from "../../support/many-or-few.ts";

/** One rule of each kind; the others differ in their limit only. */
const rules: Readonly<Record<string, TextRule>> = {
  name: inquiryFields.name.rule,
  company: inquiryFields.company.rule,
  email: inquiryFields.email.rule,
  packageId: inquiryFields.selectedPackageIds.rule,
  phone: applicationFields.phone.rule,
  portfolioUrl: applicationFields.portfolioUrl.rule,
  coverLetter: applicationFields.coverLetter.rule,
};

const distinctLetters = (length: number) =>
  Array.from({ length }, (_, index) => String.fromCharCode(0x4e00 + (index % 20_000))).join("");

/** Texts of about so many code units that are the worst for one pattern, normaliser or parser or another. */
const worst: Readonly<Record<string, (length: number) => string>> = {
  "marks without end": (length) => `a${"\u0301\u0323".repeat(length / 2)}`,
  "marks in runs of 99, in the wrong order": (length) =>
    `a${"\u0301".repeat(50)}${"\u0323".repeat(49)}`.repeat(length / 100),
  "marks that decompose into two": (length) => `a${"\u0344\u0323".repeat(49)}`.repeat(length / 99),
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

function leastTimeOf(work: () => unknown, rounds: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

const workMax = 2.2 ** 3;
/** On a busy machine the larger work seldom runs undisturbed. Work that is not linear fails in every try. */
const triesMax = 1_000;
/** What is quicker is not worth comparing. */
const leastMs = 0.5;

function expectLinear(work: (text: string) => unknown, text: (length: number) => string, length: number): void {
  const [short, long] = [text(length / 8), text(length)];
  let [one, eight] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < triesMax; tries += 1) {
    eight = Math.min(
      eight,
      leastTimeOf(() => work(long), 2),
    );
    one = Math.min(
      one,
      leastTimeOf(() => work(short), 16),
    );
    if (eight <= Math.max(workMax * one, leastMs)) break;
  }
  expect(eight).toBeLessThanOrEqual(Math.max(workMax * one, leastMs));
}

const cases = Object.entries(rules).flatMap(([name, rule]) =>
  Object.entries(worst).map(([kind, text]) => ({ name, rule, kind, text })),
);

/** Short enough for most runs to be undisturbed, long enough for quadratic work to show. */
const lengthTried = 25_000;

// Most limits are so low that any work is quick. The same rules with a high limit show the patterns themselves.
test.each(someOf(cases))("$name of $kind takes work in proportion to its length", ({ rule, text }) => {
  expectLinear((raw) => readText({ ...rule, lengthMax: 2.2 * lengthTried }, raw), text, lengthTried);
});

test.each(Object.entries(worst))("the label of a source takes work in proportion to %s", (_, text) => {
  expectLinear(normaliseSource, text, 65_536);
  expectLinear(normaliseSource, (length) => `/${text(length)}`, 3_800);
});
