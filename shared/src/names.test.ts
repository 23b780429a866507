import { expect, test } from "vitest";
import { looksLikeTitle } from "./names.ts";

test.each([
  "Kalomi",
  "3M",
  "AT&T",
  "Müller & Söhne GmbH + Co. KG",
  "Sprachstudio (Wien), Abt. 7",
  "株式会社東京音声",
  "شركة الأصوات",
  "Accent annotator",
  "Sprecherin (m/w/d)",
  "Go/C++ engineer",
  "ja-JP-kansai",
  "pl_PL",
  "J.R.R. Tolkien Estate",
  "St. Gallen Voices",
  "",
])("%j may stand in a mail", (text) => {
  expect(looksLikeTitle(text)).toBe(true);
});

test.each([
  "evil.example",
  "t.co",
  "https://evil.example/login?id=1",
  "http:evil",
  "www evil",
  "www.evil.example",
  "evil．com",
  "evil。com",
  "evil․com",
  "10.0.0.1/login",
  "ann@example.org",
  "mailto:ann",
  "Kalomi\nLog in there",
  "Kalomi\u202Emoc.live",
  "Kalomi\u200Bevil",
  "<b>Kalomi</b>",
  "Win $1000",
  "Price: free",
  "💰 Kalomi",
  "your account is locked so please go to our site and sign in there now",
  "a".repeat(101),
  "a" + "\u0301".repeat(4),
])("%j may not", (text) => {
  expect(looksLikeTitle(text)).toBe(false);
});
