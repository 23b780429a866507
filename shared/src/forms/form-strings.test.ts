// The two languages have the same texts with the same slots.
import { describe, expect, test } from "vitest";
import { faults } from "../faults.ts";
import { packageCounts } from "../inquiry-fields.ts";
import { readText } from "../text.ts";
import { fieldsOf, forms } from "./form-fields.ts";
import type { FormStrings } from "./form-strings.ts";
import { formTexts } from "./form-texts.ts";
import { filled, translated, wordedIssues } from "./issue-words.ts";

const [english, german] = [...formTexts.values()] as [FormStrings, FormStrings];

/** All texts by where they stand, but for the translations of messages. */
function textsOf(strings: object, path = ""): [string, string][] {
  return Object.entries(strings)
    .filter(([name]) => name !== "messages")
    .flatMap(([name, value]: [string, unknown]): [string, string][] =>
      typeof value === "string" ? [[`${path}${name}`, value]] : textsOf(value as object, `${path}${name}.`),
    );
}

const gapsOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

test("German has the same slots in its texts, and none is empty", () => {
  const shapeOf = (strings: object) => Object.fromEntries(textsOf(strings).map(([path, text]) => [path, gapsOf(text)]));
  expect(shapeOf(german)).toEqual(shapeOf(english));
  expect(textsOf(german).filter(([, text]) => text.trim() === "")).toEqual([]);
});

test("every message of the rules can be said in German", () => {
  const rules = Object.values(forms).flatMap(({ fields }) => Object.values(fields).flatMap(({ rule }) => rule ?? []));
  const wrong = ["", "a\u0000", `a${"\u0323".repeat(50)}`, "www.", "x", "a".repeat(100_000)];
  wrong.push("https://a b", "https://", "https://a:b@c.org");
  const problems = rules.flatMap((rule) => wrong.map((text) => readText(rule, text).problem));
  expect(new Set(problems.filter(Boolean)).size).toBeGreaterThan(12);
  const messages = [
    ...problems.filter((problem) => problem !== undefined),
    packageCounts.min[1],
    packageCounts.max[1],
    "“de-AT” is not a package we offer.",
  ];
  expect(messages.filter((message) => translated(message, german) === message)).toEqual([]);
});

test("every refusal that a form can meet can be said in German", () => {
  const met = [
    faults.fieldsInvalid,
    faults.proofOfWorkInvalid,
    faults.crossSiteForbidden,
    faults.requestTimedOut,
    faults.idempotencyConflict,
    faults.bodyTooLarge,
    faults.fieldTooLarge,
    faults.resumeTooLarge,
    faults.resumeKindUnsupported,
  ];
  expect(met.map(({ message }) => message).filter((message) => translated(message, german) === message)).toEqual([]);
});

describe("a translated message", () => {
  test("keeps its number, as the language writes it, and what is quoted in it", () => {
    expect(translated("At most 20,000 characters.", german)).toBe("Höchstens 20.000 Zeichen.");
    expect(translated("“a #1 “$&” package” is not a package we offer.", german)).toBe(
      "„a #1 “$&” package“ gehört nicht zu unseren Paketen.",
    );
  });

  test("stays as it is without a translation", () => {
    expect(translated("The moon is not right.", german)).toBe("The moon is not right.");
    expect(translated("At most 200 characters.", english)).toBe("At most 200 characters.");
  });
});

test("problems come in the order of the fields, those of no field last, and a missing field is named", () => {
  const issues = [
    { path: ["moon"], message: "Is not right." },
    { path: ["email"], message: "This field is required." },
    { path: ["selectedPackageIds", 3], message: "At most 100 characters." },
  ];
  expect(wordedIssues(fieldsOf("inquiry"), issues, english).map(({ field, text }) => [field?.name, text])).toEqual([
    ["selectedPackageIds", "At most 100 characters."],
    ["email", "Enter your e-mail address."],
    [undefined, "Is not right."],
  ]);
});

test("a slot without a value stays, and a value is not filled again", () => {
  expect(filled("{a} {b}", { a: "{b}" })).toBe("{b} {b}");
});
