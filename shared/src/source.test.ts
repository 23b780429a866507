import { expect, test } from "vitest";
import { normaliseSource } from "./source.ts";
import { subscribeInput } from "./subscription.ts";

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
  [`a${"\u0301\u0323".repeat(2_000)}`, "unknown"],
  [`/a${"%CC%81%CC%A3".repeat(300)}`, "unknown"],
  ["%40".repeat(1_000), "40-".repeat(21) + "4"],
  ["a".repeat(4_096), "a".repeat(64)],
  ["a".repeat(4_097), "unknown"],
  ["a".repeat(60_000), "unknown"],
  ["\uFDFA", "صلى-الله-عليه-وسلم"],
  ["\uFDFA".repeat(228), "unknown"],
  [`/pricing?${"x".repeat(4_000)}`, "pricing"],
  [`/pricing?${"x".repeat(5_000)}`, "unknown"],
  ["a @ ".repeat(1_000), "a-".repeat(31) + "a"],
  ["a".repeat(80), "a".repeat(64)],
  [`${"a".repeat(63)}-b`, "a".repeat(63)],
])("reduces %j to %j", (raw, label) => {
  expect(normaliseSource(raw)).toBe(label);
});

test.each([[5], [true], [null], [undefined], [[]], [["footer"]], [{ footer: 1 }], [Number.NaN]])(
  "%j, which is no text, is an unknown source and no reason to refuse",
  (source) => {
    expect(subscribeInput.parse({ email: "ann@example.org", source })).toMatchObject({ source: "unknown" });
  },
);
