// What holds of the fields for every value.
import { applicationInput } from "@submissions/shared/application";
import { email, emailKey, optional, required } from "@submissions/shared/fields";
import { packageIdsMax, textLengthMax } from "@submissions/shared/limits";
import { inquiryInput } from "@submissions/shared/inquiry";
import { applicationFields } from "@submissions/shared/application-fields";
import { subscribeInput } from "@submissions/shared/subscription";
import { optionalMultilineText, optionalText, requiredText } from "@submissions/shared/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { z } from "zod";
import { manyOrFew } from "../../support/many-or-few.ts";
import { hostileText } from "../../support/fuzz/strings.ts";

const numRuns = manyOrFew(1_000);
const anything = fc.oneof(hostileText, fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }));
const edge =
  /^[\s\p{White_Space}\u200B-\u200F\u2060-\u2064\uFEFF]|[\s\p{White_Space}\u200B-\u200F\u2060-\u2064\uFEFF]$/u;

interface Field {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly max: number;
  /** Texts that it accepts, among others. */
  readonly honest: fc.Arbitrary<string>;
  readonly shape?: (value: string) => void;
  readonly controls?: RegExp;
}

const controls = /[\u0000-\u001F\u007F-\u009F]/;
const words = fc.string({ unit: "grapheme", maxLength: 60 });
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const addresses = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9+_'-]{1,20}(\.[A-Za-z0-9]{1,20})?$/), label, fc.stringMatching(/^[a-z]{2,6}$/))
  .map(([local, host, top]) => `${local}@${host}.${top}`);

const fields: readonly Field[] = [
  { name: "a required text", schema: required({ rule: requiredText(200) }), max: 200, honest: words },
  { name: "an optional text", schema: optional({ rule: optionalText(50) }), max: 50, honest: words },
  {
    name: "a text of several lines",
    schema: optional({ rule: optionalMultilineText(300) }),
    max: 300,
    honest: fc.array(words, { maxLength: 4 }).map((lines) => lines.join("\r\n\t")),
    controls: /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/,
  },
  {
    name: "a person's name",
    schema: required(applicationFields.fullName),
    max: textLengthMax.name,
    honest: words,
    shape: (value) => expect(value).not.toMatch(/:\/\/|www\./i),
  },
  {
    name: "an e-mail address",
    schema: email,
    max: textLengthMax.email,
    honest: addresses,
    shape: (value) => {
      expect(value).toMatch(/^[\x21-\x7E]{1,64}@(?=[^.]+\.)[a-z0-9.-]+$/);
      expect(value.match(/@/g)).toHaveLength(1);
      expect(emailKey(emailKey(value))).toBe(emailKey(value));
    },
  },
  {
    name: "a web address",
    schema: optional(applicationFields.portfolioUrl),
    max: textLengthMax.url,
    honest: fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ["http", "https"] }),
    shape: (value) => {
      const { protocol, username, password } = new URL(value);
      expect(["http:", "https:"]).toContain(protocol);
      expect(username + password).toBe("");
      expect(value).toMatch(/^https?:\/\/\S+$/iu);
    },
  },
  {
    name: "a telephone number",
    schema: optional(applicationFields.phone),
    max: textLengthMax.phone,
    honest: fc.stringMatching(/^\+?[0-9]{2,4}[ ./()-]?[0-9 ]{3,9}( (ext|x)\.? ?[0-9]{1,4})?$/),
    shape: (value) => {
      expect(value.match(/\p{Nd}/gu)?.length).toBeGreaterThanOrEqual(3);
      expect(value).not.toMatch(/[^\p{Nd}\s().,;/#*+xtext-]/iu);
    },
  },
];

function judge(schema: z.ZodType, value: unknown): { readonly taken: boolean; readonly value?: unknown } {
  const { success, data, error } = schema.safeParse(value);
  if (success) return { taken: true, value: data };
  expect(error.issues.length).toBeGreaterThan(0);
  for (const { message } of error.issues) {
    expect(message).toMatch(/^[A-Z].{5,100}\.$/);
    if (typeof value === "string" && value.trim().length > 12) expect(message).not.toContain(value.trim());
  }
  return { taken: false };
}

function expectShape(field: Field, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== "string") throw new Error("An accepted text is a text.");
  expect(value).not.toMatch(field.controls ?? controls);
  expect(value.isWellFormed()).toBe(true);
  expect(value.normalize("NFC")).toBe(value);
  expect(value).not.toMatch(edge);
  if (!field.controls) expect(value).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  const { length } = Array.from(value);
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThanOrEqual(field.max);
  field.shape?.(value);
}

test.each(fields)("$name that is accepted has its shape and is accepted again; nothing else throws", (field) => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(hostileText, field.honest), (text) => {
      const first = judge(field.schema, text);
      if (!first.taken) return;
      if (first.value !== undefined) accepted += 1;
      expectShape(field, first.value);
      expect(judge(field.schema, first.value ?? "")).toEqual(first);
    }),
    { numRuns },
  );
  fc.assert(
    fc.property(anything, (value) => {
      const { taken } = judge(field.schema, value);
      if (typeof value !== "string" && value !== undefined) expect(taken).toBe(false);
    }),
    { numRuns },
  );
  expect(accepted).toBeGreaterThan(numRuns / 20);
});

const schemas = { inquiryInput, subscribeInput, applicationInput } satisfies Record<string, z.ZodType>;
const names = fc.constantFrom(
  ..."name fullName email company position phone source".split(" "),
  ..."selectedPackageIds coverLetter resumeFile portfolioUrl __proto__ constructor toString".split(" "),
);
const objects = fc
  .array(fc.tuple(names, fc.oneof(anything, addresses, words, fc.array(hostileText, { maxLength: packageIdsMax + 2 }))))
  .map((entries) => Object.fromEntries(entries));

test.each(Object.entries(schemas))("%s never throws, and names each problem by its place", (_, schema) => {
  fc.assert(
    fc.property(fc.oneof(objects, anything), (value) => {
      const result = (schema as z.ZodType).safeParse(value);
      if (result.success) return;
      for (const { message, path } of result.error.issues) {
        expect(message).toMatch(/^[A-Z].{5,100}\.$/);
        for (const part of path) expect(["string", "number"]).toContain(typeof part);
      }
    }),
    { numRuns },
  );
});
