import { expect, test } from "vitest";
import { csvLine, fromKept, keepAsText } from "./csv.ts";

test.each([
  "=1+1",
  "+44 20",
  "-1",
  "@SUM(A1)",
  "\t=1",
  "\r",
  "\nx",
  " =1",
  "\u3000＝1",
  "\u200B@x",
  "＋1",
  "－1",
  "＠x",
  ...Array.from("\u115F\u1160\u3164\uFFA0\u180B\uFE0F\u{E0100}\u2800", (blank) => `${blank}=1`),
])("a formula is kept as a text: %j", (text) => {
  expect(keepAsText(text)).toBe(`'${text}`);
});

test.each([
  ["a telephone number", "01632960001", "(020) 7946-0018", "020 7946 0018", "+43 660 1", "4915112345678"],
  ["a number that looks otherwise then", "007", "1e5", "1E-3", "1.5", "1,5", ".5", "5.", "1'000", "−5", "10%"],
  ["an amount", "$5", "5 €", "1,000.00 £"],
  ["a fraction or a date", "1/2", "1 1/2", "24/7", "3-4", "2026-11", "1.2.3", "2026年5月1日"],
  ["a month and a number", "MAR1", "Mar-1", "1. Mai", "1. März 2026", "12 Dez 24", "May 5, 10:00 am", "Okt 3"],
  ["a time", "12:30", "5 pm", "5 A.M.", "5p"],
  ["digits of other keyboards and scripts", "１２", "１ｅ５", "1／2", "０１", "٠١٢"],
  ["a truth value or an error", "TRUE", "falsch", "#N/A", "#REF!", "#ÜBERLAUF!"],
])("%s is kept as a text", (_, ...texts) => {
  for (const text of texts) {
    expect(keepAsText(text)).toBe(`'${text}`);
    expect(fromKept(`'${text}`)).toBe(text);
  }
});

test.each([
  ["words", "Ann", "May", "June", "a=b", "ann2@example.org", " Ann", "", "#hiring"],
  [
    "words with numbers",
    "Studio 54",
    "v1.2",
    "Room 12a",
    "From March, 20 hours a week",
    "C++ 11",
    "Decorator 2",
    "A1",
    "P 2",
  ],
  ["a number that looks the same", "0", "42", "2026", "12345678901"],
  ["our own values", "INQ-20261121-042137", "2026-11-21T08:30:00.005Z", "a1e5".repeat(16), "1a2e", "de-AT|en\\|GB"],
  ["an apostrophe of its own", "'tis", "'5", "'s-Hertogenbosch", "'"],
])("%s stay as they are, in both directions", (_, ...texts) => {
  for (const text of texts) {
    expect(keepAsText(text)).toBe(text);
    expect(fromKept(text)).toBe(text);
  }
});

test("a text that has the apostrophe already comes back with it", () => {
  for (const text of ["'=1", "''=1", "'01", "'-dash@example.org"]) {
    expect(keepAsText(text)).toBe(`'${text}`);
    expect(fromKept(`'${text}`)).toBe(text);
  }
});

test("writes numbers and absent values", () => {
  expect(csvLine([1, null, 'a "b"', 12345678901234])).toBe('"1",,"a ""b""","12345678901234"\r\n');
});
