import { expect, test } from "vitest";
import { normaliseSource } from "./source.ts";

test.each([
  ["footer", "footer"],
  ["  Blog Post! ", "blog-post"],
  ["ＦＯＯＴＥＲ", "footer"],
  ["https://example.org/pricing/eu?utm=1#top", "pricing"],
  ["https://example.org/?email=a@b.org", "unknown"],
  ["\u200Bhttps://example.org/pricing?name=Ann", "pricing"],
  ["//example.org/Caf%C3%A9", "café"],
  ["/landing/a/b", "landing"],
  ["/a%zz/b", "a-zz"],
  ["someone@example.org", "unknown"],
  ["https://example.org/someone@example.org", "unknown"],
  ["https://example.org/someone%40example.org", "unknown"],
  ["https://example.org/someone%EF%BC%A0example.org", "unknown"],
  ["https://example.org/someone%2540example.org", "unknown"],
  ["/someone%40example.org%zz", "unknown"],
  ["newsletter@footer", "newsletter-footer"],
  ["instagram/@handle", "instagram-handle"],
  ["Tee @ No.5", "tee-no-5"],
  ["someone @ example.org", "unknown"],
  ["someone@example。org", "unknown"],
  ["@example on the wall", "example-on-the-wall"],
  ["meet me @ the fair", "meet-me-the-fair"],
  ["", "unknown"],
  ["---", "unknown"],
  [`a${"\u0301\u0323".repeat(30_000)}`, "unknown"],
  [`/a${"%CC%81%CC%A3".repeat(5_000)}`, "unknown"],
  ["%40".repeat(20_000), "40-".repeat(21) + "4"],
  ["a @ ".repeat(1_000), "a-".repeat(31) + "a"],
  ["a".repeat(80), "a".repeat(64)],
  [`${"a".repeat(63)}-b`, "a".repeat(63)],
])("reduces %j to %j", (raw, label) => {
  expect(normaliseSource(raw)).toBe(label);
});
