import { expect, test } from "vitest";
import { prefersHtml } from "./page-answer.ts";

test.each([
  // Chromium, Firefox, Safari.
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "text/html",
  "TEXT/HTML ; Q=0.9, application/json;q=0.8",
  "text/html;level=1, application/json;q=0.999",
  "text/html;q=0.5, application/*;q=0.4, */*;q=0.6",
])("%s asks for a page", (accept) => {
  expect(prefersHtml(accept)).toBe(true);
});

test.each([
  undefined,
  "",
  "*/*",
  "text/*",
  "application/json",
  "application/json, text/plain, */*",
  "text/html, application/json",
  "text/html, */*",
  "text/html;q=0.8, */*;q=0.9",
  "text/html;q=0",
  "text/html;q=high",
  "application/xhtml+xml, text/plain",
  "text/htmlx",
  "application/json, text/html;q=0.9",
])("%s does not", (accept) => {
  expect(prefersHtml(accept)).toBe(false);
});
