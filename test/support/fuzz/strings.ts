// Hostile texts: letters of every script, marks, controls, lone surrogates and pieces of addresses and markup.
import fc from "fast-check";

/** Blanks, joiners, controls, overrides of direction, combining marks and lone surrogates. */
const unseen =
  "20 A0 3000 200B 200D FEFF 2060 115F 2800 3164 AD 34F 0 8 9 A D 7F 85 2028 202E 2066 D800 DFFF FFFE 301 344 958 FB1D";
const seen = [
  "ﷺ ﬁ İ ß Σ ½ 가 ᄀ ᅡ 👩\u200D👩\u200D👧 𝕏 a Z 0 ٣ - -- . .. @ ＠ %40 % + ( ) x7 / // : ? # http:// HTTPS:// javascript: www.",
  'example.org xn--p1ai bücher ann@example.org user:pw@ [::1] <script> ${x} %0d%0a \\ " {{ =cmd()',
];
const pieces = fc.constantFrom(
  "",
  "\r\n",
  "e\u0301",
  "\u0323\u0301",
  "ext. 7",
  "' OR 1=1",
  ...unseen.split(" ").map((hex) => String.fromCodePoint(Number.parseInt(hex, 16))),
  ...seen.join(" ").split(" "),
);

/** A string of any UTF-16 code units, valid or not. */
const units = fc.array(fc.nat(0xffff), { maxLength: 30 }).map((codes) => String.fromCharCode(...codes));

export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { arbitrary: pieces, weight: 6 },
      { arbitrary: fc.string({ unit: "binary", maxLength: 8 }), weight: 2 },
      { arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }), weight: 2 },
      { arbitrary: units, weight: 1 },
      { arbitrary: fc.tuple(pieces, fc.nat(300)).map(([piece, times]) => piece.repeat(times)), weight: 1 },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
