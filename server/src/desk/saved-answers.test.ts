import { expect, test } from "vitest";
import { application, inquiry } from "../../../test/support/mail/examples.ts";
import { fill, unknownPlaceholders } from "./saved-answers.ts";

test("placeholders stand for what was sent, and for nothing where it was not", () => {
  const titles = new Map([["de-AT", "Austrian German"]]);
  const text = "{name} {reference} {packages} {company}|{position}";
  const sent = { ...inquiry, company: "Söhne & Co (GmbH)" };
  expect(fill(text, sent, titles)).toEqual({
    text: "Ann Buyer INQ-20261121-042137\n- en-GB-scottish\n- Austrian German\nSöhne & Co (GmbH)|",
    leftOut: [],
  });
  expect(fill("{position}|{packages}", application, titles)).toEqual({ text: "Accent annotator|", leftOut: [] });
  expect(fill("Dear {name}, for {company}: {nmae}.", { ...inquiry, company: null }, null).text).toBe(
    "Dear Ann Buyer, for: {nmae}.",
  );
});

test("a stranger's links and advertising are left out, and named", () => {
  const hostile = {
    ...inquiry,
    name: "evil.example/login - your account is locked, sign in there today",
    company: "https://evil.example/login?id=1",
    selectedPackageIds: ["de-AT", "www.evil.example", "pl-PL"],
  };
  const text = "Dear {name}, thank you for {company} about {packages}. {name}";
  expect(fill(text, hostile, new Map([["de-AT", "German. See example.org"]]))).toEqual({
    text: "Dear, thank you for about\n- German. See example.org\n- pl-PL\n",
    leftOut: ["{name}", "{company}", "{packages}"],
  });
  expect(fill("As {position}", { ...application, position: "see evil.example" }, null)).toEqual({
    text: "As",
    leftOut: ["{position}"],
  });
});

test("a value is not read for placeholders", () => {
  const company = "{name} $& $1";
  expect(fill("{packages}", { ...inquiry, selectedPackageIds: ["x"] }, new Map([["x", company]])).text).toBe(company);
});

test("unknown placeholders are named", () => {
  expect(unknownPlaceholders("{name} {nmae} {} {constructor} { name }").join(" ")).toBe(
    "{nmae} {} {constructor} { name }",
  );
});
