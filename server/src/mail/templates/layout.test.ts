import { expect, test } from "vitest";
import { html } from "@submissions/shared/html";
import { button, layout, textOf } from "./layout.ts";

const pageIn = (language: string) =>
  layout({
    language,
    subject: "Subject <1>",
    preheader: "Preheader & more",
    brand: "Brand",
    heading: "Heading",
    body: button({ url: "https://datasets.example/?a=1&b=2", words: "Open", or: "Or:" }),
    signature: null,
    footer: html`Footer`,
  }).text;
const page = pageIn("en");

test("the page names its language, its heading and its colour schemes", () => {
  expect(page).toMatch(/^<!doctype html> <html lang='en'/);
  expect(page).toContain("<title>Subject &lt;1&gt;</title>");
  expect(page.match(/<h1[ >]/g)).toHaveLength(1);
  expect(page).toContain("<meta name='color-scheme' content='light dark' />");
  expect(page).toContain("@media (prefers-color-scheme:dark)");
});

test("lines begin where those of the language do", () => {
  const sides = ["en", "ar"].map((language) => pageIn(language).match(/text-align:\w+/g));
  expect(sides).toEqual([["text-align:left"], ["text-align:right"]]);
});

test("the page fetches nothing: no image, no style sheet, no font, no script", () => {
  expect(page).not.toMatch(/<(?:img|link|script|iframe|object|svg|video)\b|url\(|@import|@font-face|\ssrc=/i);
});

test("the page uses tables for layout only, and says so", () => {
  for (const [table] of page.matchAll(/<table[^>]*>/g)) expect(table).toContain("role='presentation'");
});

test("the address of a button is shown in text, too", () => {
  expect(page.match(/href='https:\/\/datasets\.example\/\?a=1&amp;b=2'/g)).toHaveLength(2);
  expect(page).toContain(">https://datasets.example/?a=1&amp;b=2</a>");
});

const luminance = (colour: string) => {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
};

test.each([
  ["text on the card", "#1c2430", "#ffffff"],
  ["small print on the page", "#4b5563", "#f3f4f6"],
  ["a link on the card", "#1d4ed8", "#ffffff"],
  ["the button", "#ffffff", "#1d4ed8"],
  ["text on the dark card", "#eceef1", "#1c1f24"],
  ["small print on the dark page", "#adb4bd", "#121417"],
  ["small print on the dark panel", "#adb4bd", "#262a31"],
  ["a link on the dark card", "#8ab8ff", "#1c1f24"],
  ["the dark button", "#0b1830", "#8ab8ff"],
])("%s has contrast enough to be read", (_, ink, ground) => {
  for (const colour of [ink, ground]) expect(page).toContain(colour);
  const [light, dark] = [luminance(ink), luminance(ground)].toSorted((a, b) => b - a);
  expect((light! + 0.05) / (dark! + 0.05)).toBeGreaterThanOrEqual(4.5);
});

test("the text part is blocks of lines", () => {
  expect(textOf("a", null, ["b", "c"], "d")).toBe("a\n\nb\nc\n\nd\n");
});
