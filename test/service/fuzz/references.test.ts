// What holds of references for every instant and number.
import {
  applicationReference,
  formatReference,
  inquiryReference,
  referenceDay,
  referencesPerDay,
} from "@submissions/shared/reference";
import fc from "fast-check";
import { expect, test } from "vitest";
import { manyOrFew } from "../../support/many-or-few.ts";
import { hostileText } from "../../support/fuzz/strings.ts";

const dayMs = 86_400_000;
// Four-digit years: what the form of a reference can hold.
const instants = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });
const kinds = fc.constantFrom("INQ", "APP");
const schemaOf = { INQ: inquiryReference, APP: applicationReference };

test("every instant and number makes a reference of its kind, from which both can be read back", () => {
  fc.assert(
    fc.property(kinds, instants, fc.nat(referencesPerDay - 1), (kind, instant, number) => {
      const reference = formatReference(kind, referenceDay(instant), number);
      expect(schemaOf[kind].parse(reference)).toBe(reference);
      expect(schemaOf[kind === "INQ" ? "APP" : "INQ"].safeParse(reference).success).toBe(false);
      const [, year, month, day, digits] = /^...-(\d{4})(\d\d)(\d\d)-(\d{6})$/.exec(reference)!;
      expect(Date.UTC(Number(year), Number(month) - 1, Number(day))).toBe(instant - (instant % dayMs));
      expect(Number(digits)).toBe(number);
    }),
    { numRuns: manyOrFew(2_000) },
  );
});

test("no two pairs of day and number make the same reference", () => {
  const pair = fc.tuple(kinds, instants, fc.nat(referencesPerDay - 1));
  fc.assert(
    fc.property(pair, pair, (a, b) => {
      const same = a[0] === b[0] && Math.floor(a[1] / dayMs) === Math.floor(b[1] / dayMs) && a[2] === b[2];
      const [first, second] = [a, b].map(([kind, at, number]) => formatReference(kind, referenceDay(at), number));
      expect(first === second).toBe(same);
    }),
  );
});

test("nothing makes the schemas throw, and they take nothing else", () => {
  const nearly = fc.constantFrom(
    "INQ-20261121-042137\n",
    " INQ-20261121-042137",
    "inq-20261121-042137",
    "INQ-٢٠٢٦١١٢١-٠٤٢١٣٧",
  );
  fc.assert(
    fc.property(fc.oneof(hostileText, nearly, fc.anything()), (value) => {
      for (const [kind, schema] of Object.entries(schemaOf)) {
        const { success } = schema.safeParse(value);
        expect(success).toBe(
          typeof value === "string" && new RegExp(`^${kind}-[0-9]{8}-[0-9]{6}$`).exec(value)?.[0] === value,
        );
      }
    }),
    { numRuns: manyOrFew(1_000) },
  );
});
