// The forms find before sending what the service would find, in the same words, and nothing else.
import { applicationInput } from "@submissions/shared/application";
import { fieldsOf, packageIdsOf, type FormName } from "@submissions/shared/forms/form-fields";
import { inquiryInput } from "@submissions/shared/inquiry";
import { subscribeInput } from "@submissions/shared/subscription";
import { isBlank } from "@submissions/shared/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { z } from "zod";
import { checkValues } from "../../../client/src/forms/check-values.ts";
import { manyOrFew } from "../../support/many-or-few.ts";
import { hostileText } from "../../support/fuzz/strings.ts";

const honest = fc.constantFrom(
  "",
  " ",
  "Ann",
  "ann@example.org",
  "https://example.org",
  "+44 20 7946 0018",
  "de-AT\nen",
);
const typed = fc.oneof(hostileText, honest, fc.string({ unit: "binary", maxLength: 400 }));

interface Form {
  readonly name: FormName;
  readonly schema: z.ZodType;
}

const forms: readonly Form[] = [
  { name: "inquiry", schema: inquiryInput },
  { name: "newsletter", schema: subscribeInput },
  { name: "application", schema: applicationInput },
];

/** What a form sends of what was typed: blank fields are left out. */
function sent(form: FormName, values: FormData): Record<string, unknown> {
  const texts = Object.fromEntries([...values].filter(([, value]) => typeof value === "string" && !isBlank(value)));
  if (form !== "inquiry") return texts;
  return { ...texts, selectedPackageIds: packageIdsOf(values.getAll("selectedPackageIds").map(String)) };
}

test.each(forms)("the $name form", ({ name, schema }) => {
  const texts = fieldsOf(name).filter(({ kind }) => kind !== "file");
  fc.assert(
    fc.property(fc.array(typed, { minLength: texts.length, maxLength: texts.length }), (answers) => {
      const values = new FormData();
      texts.forEach(({ name: field }, position) => values.set(field, answers[position]!));
      const issues = schema.safeParse(sent(name, values)).error?.issues ?? [];
      const found = checkValues(fieldsOf(name), values);
      // Where several things are wrong with one field, the form names one of them.
      expect(new Set(found.map(({ path }) => path[0]))).toEqual(new Set(issues.map(({ path }) => path[0])));
      for (const { path, message } of found)
        expect(issues.filter((issue) => issue.path[0] === path[0]).map((issue) => issue.message)).toContain(message);
    }),
    { numRuns: manyOrFew(1_000) },
  );
});
