import { expect, test } from "vitest";
import { forSubject, greeting, looksLikeIdentifier, looksLikeName } from "./stranger.ts";

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

test.each([
  "en-GB-scottish",
  "de_AT.v2",
  "pkg:en-GB",
  "PKG-20261121-000123",
  "550e8400-e29b-41d4-a716-446655440000",
  "pt-BR-nordeste-2026.1",
  "a".repeat(100),
])("shows the identifier %s", (id) => {
  expect(looksLikeIdentifier(id)).toBe(true);
});

test.each([
  "evil.com",
  "www.evil",
  "evil.com:8080",
  "https:evil",
  "mailto:ann",
  "tel:5550199",
  "javascript:alert",
  "localhost:3000",
  "10.0.0.1",
  "::1",
  "fe80::1",
  "1-800-555-0199",
  "CALL-800-555-0199",
  "evil/com",
  "ann@example.org",
  "free money",
  "пакет",
  "<b>",
  "a".repeat(101),
  "",
])("only counts %j", (id) => {
  expect(looksLikeIdentifier(id)).toBe(false);
});

test("makes one visible line of at most 80 code points for a subject", () => {
  expect(forSubject("Ann\r\nBcc: x\u2028y\u202Ez\0")).toBe("Ann Bcc: x y z");
  expect(Array.from(forSubject("👩".repeat(200)))).toHaveLength(80);
  expect(forSubject("Ann Buyer")).toBe("Ann Buyer");
});
