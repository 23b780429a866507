// A text over the raw limit is refused before any pattern, cleaning or parser sees it.
import { afterEach, expect, test, vi } from "vitest";
import { applicationFields } from "./application-fields.ts";
import { inquiryInput } from "./inquiry.ts";
import { inquiryFields, packageCounts } from "./inquiry-fields.ts";
import { packageIdsMax } from "./limits.ts";
import { rawLengthFactor, readText, type TextRule } from "./text.ts";

const { resumeFile: _file, ...texts } = { ...inquiryFields, ...applicationFields };
const rules: Readonly<Record<string, TextRule>> = Object.fromEntries(
  Object.entries(texts).map(([name, { rule }]) => [name, rule]),
);

afterEach(() => vi.restoreAllMocks());

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
  readText(rules["portfolioUrl"]!, `https://${"ü".repeat(254)}`);
  readText(rules["portfolioUrl"]!, `https://${"ü".repeat(254)}:8080/`);
  readText(rules["portfolioUrl"]!, `https://example.org/${"ü".repeat(2_030)}`);
  expect(parse).not.toHaveBeenCalled();
  expect(readText(rules["portfolioUrl"]!, `https://${"a".repeat(249)}.org:65535/`).problem).toBeUndefined();
});

test("a list of too many identifiers is refused unread, with one issue", () => {
  const ids = Array.from({ length: packageIdsMax + 1 }, () => "a");
  let read = 0;
  for (const index of ids.keys()) Object.defineProperty(ids, index, { get: () => (read += 1) });
  const { error } = inquiryInput.safeParse({ name: "Ann", email: "ann@example.org", selectedPackageIds: ids });
  expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [["selectedPackageIds"], packageCounts.max[1]],
  ]);
  expect(read).toBe(0);
});
