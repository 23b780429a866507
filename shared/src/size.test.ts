import { expect, test } from "vitest";
import { sizeIn } from "./size.ts";

test.each([
  ["en", 0, "0 kB"],
  ["en", 1, "1 kB"],
  ["en", 43_433, "42.5 kB"],
  ["de", 43_433, "42,5 kB"],
  ["en", 2_000_000, "2 MB"],
  ["de", 3 * 2 ** 20, "3 MB"],
  ["en", 5 * 2 ** 20 + 1, "5.1 MB"],
])("in %s %d bytes are %s", (language, bytes, words) => {
  expect(sizeIn(language, bytes)).toBe(words);
});
