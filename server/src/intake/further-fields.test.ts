import { expect, test } from "vitest";
import { readFurtherFields } from "./further-fields.ts";

const read = (sent: object, procedure = "marketplace.inquiry") => readFurtherFields(procedure, Object.entries(sent));

test("keeps texts, numbers and booleans as texts, in the order in which they came", () => {
  expect(read({ message: " Hello\r\nthere ", budget: 5000.5, urgent: false })).toEqual({
    message: "Hello\nthere",
    budget: "5000.5",
    urgent: "false",
  });
  expect(Object.keys(read({ b: "1", a: "2" }) ?? {})).toEqual(["b", "a"]);
});

test("leaves out what is no text, is blank, or breaks a rule of texts", () => {
  expect(read({ a: null, b: [1], c: {}, d: " \u200B", e: "bell\u0007", f: "\uD800", g: Number.NaN })).toBeNull();
});

test.each([
  ["64 letters, digits and signs", `ä9_.[]-${"x".repeat(57)}`, true],
  ["a word of the language's own objects", "constructor", true],
  ["65 letters", "x".repeat(65), false],
  ["no letter", "", false],
  ["a blank", "a b", false],
  ["an underscore in front", "_csrf", false],
  ["the name of a prototype", "__proto__", false],
  ["the trap for programs", "website", false],
  ["the address of the page after success", "next", false],
  ["the answer of a captcha", "cf-turnstile-response", false],
  ["the key of a form without script", "idempotencyKey", false],
])("of names with %s", (_, name, isKept) => {
  const found = readFurtherFields("applications.submit", [[name, "x"]]);
  expect(found === null ? [] : Object.entries(found)).toEqual(isKept ? [[name, "x"]] : []);
});

test("keeps the first 20, each of at most 2,000 code points", () => {
  const sent = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, String(index)]));
  expect(Object.keys(read({ tooLong: "🙂".repeat(2_001), ...sent }) ?? {})).toEqual(Object.keys(sent).slice(0, 20));
  expect(read({ smiles: "🙂".repeat(2_000) })).toEqual({ smiles: "🙂".repeat(2_000) });
});

test("keeps the letter however many fields come before it, and leaves it out where it is too long", () => {
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, String(index)]));
  const names = Object.keys(others).slice(0, 19);
  expect(Object.keys(read({ ...others, message: "Dear team" }) ?? {})).toEqual([...names, "message"]);
  expect(read({ ...others, message: "x".repeat(2_001) })).toEqual(others);
});

test("joins a field that a form repeats", () => {
  const sent = [
    ["topic", "voice"],
    ["other", "x"],
    ["topic", "text"],
  ] as const;
  expect(readFurtherFields("applications.submit", sent)).toEqual({ topic: "voice, text", other: "x" });
});

test("a field of the other kind is a further one, a subscription has none", () => {
  expect(read({ phone: "123" })).toEqual({ phone: "123" });
  expect(read({ name: "Ann" }, "applications.submit")).toEqual({ name: "Ann" });
  expect(read({ name: "Ann" }, "newsletter.subscribe")).toBeNull();
});
