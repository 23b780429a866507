// docs/forms.md names every part and every custom property for pages to style the forms by, and no others.
import { readFileSync } from "node:fs";
import { formMarkup, summaryMarkup } from "@submissions/shared/forms/form-markup";
import { english } from "@submissions/shared/forms/form-strings";
import { formStyle } from "@submissions/shared/forms/form-style";
import { expect, test } from "vitest";

const document = readFileSync(new URL("../../../docs/forms.md", import.meta.url), "utf8");
const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted();
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]!);

test("parts", () => {
  const state = {
    action: "/",
    values: {},
    issues: [],
    packages: [{ id: "a", title: "A" }],
    strings: english,
    idempotencyKey: "k",
    privacy: { url: "https://datasets.example/privacy" },
  };
  const markup = [
    formMarkup("inquiry", state).text,
    formMarkup("application", state).text,
    formMarkup("inquiry", {
      ...state,
      receipt: { message: "Thanks.", reference: "INQ-20261121-042137", email: "ann@example.org" },
    }).text,
    summaryMarkup([], english, { message: "That did not work.", retry: true }).text,
  ].join("");
  const table = document.slice(document.indexOf("| Parts |"), document.indexOf("## What a page's policy"));
  expect(sorted(found(table, /`([a-z-]+)`/g))).toEqual(sorted(found(markup, /part="([^"]+)"/g)));
});

test("custom properties", () => {
  const table = document.slice(document.indexOf("| Custom property |"), document.indexOf("| Parts |"));
  expect(sorted(found(table, /(--form-[a-z-]+)/g))).toEqual(sorted(found(formStyle, /(--form-[a-z-]+)/g)));
});
