import { expect, test } from "vitest";
import { csvLine, defuse } from "./csv.ts";

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
])("defuses %j", (text) => {
  expect(defuse(text)).toBe(`'${text}`);
});

test.each(["Ann", "a=b", "1-2", "ann@example.org", "", " Ann", "'=1"])("leaves %j alone", (text) => {
  expect(defuse(text)).toBe(text);
});

test("writes numbers and absent values", () => {
  expect(csvLine([1, null, 'a "b"'])).toBe('"1",,"a ""b"""\r\n');
});
