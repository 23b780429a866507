import { expect, test } from "vitest";
import { looksLikeName } from "@submissions/shared/names";
import { forSubject, greeting } from "./stranger.ts";

test.each([
  "Ann Buyer",
  "ann",
  "Jean-Luc O'Neill",
  "Ana Luísa de Souza",
  "J.R.R. Tolkien",
  "Dr. Ann B. Smith Jr.",
  "Jean-Paul d’Arc",
  "Gal·la Puig",
  "Nguyễn Thị Minh Khai",
  "山田 太郎",
  "محمد علی‌رضا",
  "Алексей Иванов",
  "अनिल कुमार",
  "Zoë".normalize("NFD"),
])("greets %s by name", (name) => {
  expect(looksLikeName(name)).toBe(true);
  expect(greeting(name)).toBe(`Hello ${name},`);
});

test.each([
  "evil.com",
  "Visit evil.com now",
  "t.co",
  "Ann.Smith",
  "evil．com",
  "evil。com",
  "evil․com",
  "http://evil.example",
  "ann@example.org",
  "Win $1000",
  "Call 555 0199",
  "Ann (CEO)",
  "Ann, free money",
  "Ann: free money",
  "Ann/Bob",
  "<b>Ann</b>",
  "Ann\nBuyer",
  "Ann\u202Emoc.live",
  "Ann\u200Bevil",
  "Ann \u200CSmith",
  "Ann\u00A0Smith",
  "Ann  Smith",
  " Ann",
  "Click here to win one prize",
  "💰 Ann",
  "A" + "\u0301".repeat(4),
  "a".repeat(61),
  "",
  "-",
])("does not repeat %j", (name) => {
  expect(looksLikeName(name)).toBe(false);
  expect(greeting(name)).toBe("Hello,");
});

test("a subject is one visible line of at most 80 code points, which no mail program decodes", () => {
  expect(forSubject("Ann\r\nBcc: x\u2028y\u202Ez\0")).toBe("Ann Bcc: x y z");
  expect(Array.from(forSubject("👩".repeat(200)))).toHaveLength(80);
  for (const name of ["Ann Buyer", "محمد علی‌رضا", "ශ්‍රීමා", "👩‍👧"]) expect(forSubject(name)).toBe(name);
  expect(forSubject("Ann =?utf-8?Q?Bcc?=")).not.toContain("=?");
});
