import { expect, test } from "vitest";
import { isTrapped } from "./screening.ts";

const form = (...values: string[]) => {
  const body = new FormData();
  for (const value of values) body.append("website", value);
  return body;
};

test.each([
  ["text", { website: "https://spam.example" }, true],
  ["text between blanks", { website: " x " }, true],
  ["a number", { website: 0 }, true],
  ["a list", { website: [] }, true],
  ["nothing", {}, false],
  ["null", { website: null }, false],
  ["blank text", { website: " \t\u200B\u00A0" }, false],
  ["no object", "website", false],
  ["no body", undefined, false],
  ["a form without it", form(), false],
  ["a form with it blank", form("", " "), false],
  ["a form with it filled", form("", "x"), true],
])("%s in the trap: %#", (_name, input, trapped) => {
  expect(isTrapped(input)).toBe(trapped);
});
