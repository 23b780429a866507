import { expect, test } from "vitest";
import { application, inquiry } from "../../../test/support/mail/examples.ts";
import { filled, unknownPlaceholders } from "./saved-answers.ts";

test("placeholders stand for what was sent, and for nothing where it was not", () => {
  const titles = new Map([["de-AT", "Austrian German"]]);
  const text = "{name} {reference} {packages} {company}|{position}";
  expect(filled(text, inquiry, titles)).toBe(
    "Ann Buyer INQ-20261121-042137 en-GB-scottish, Austrian German Söhne & Co <GmbH>|",
  );
  expect(filled("{position}|{packages}", application, titles)).toBe("Accent annotator|");
});

test("a value is not read for placeholders", () => {
  expect(filled("{name}, {name}", { ...inquiry, name: "{company} $& $1" }, null)).toBe(
    "{company} $& $1, {company} $& $1",
  );
});

test("unknown placeholders are named", () => {
  expect(unknownPlaceholders("{name} {nmae} {} {constructor} { name }").join(" ")).toBe(
    "{nmae} {} {constructor} { name }",
  );
});
