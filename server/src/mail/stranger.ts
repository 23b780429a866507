// Which words of a stranger may stand in a mail. A receipt goes to an address that is not proven: without these rules the
// forms would send anyone's advertising under our name.
import { isWithin } from "@submissions/shared/text";

const nameCodePointsMax = 60;
const nameWordsMax = 5;
// Zero-width (non-)joiners stand inside words of Persian and of Indic scripts; anywhere else they only hide things.
const word = "\\p{L}(?:[\\p{L}\\p{M}'’ʼ.·-]|[\\u200C\\u200D](?=\\p{L}))*";
const nameShape = new RegExp(`^${word}(?: ${word})*$`, "u");
// "evil.com" and "t.co" are links once a mail program has seen them; "J.R.R. Tolkien" is not.
const dotThenWord = /\.[\p{M}]*\p{L}\p{M}*\p{L}/u;
const stackedMarks = /\p{M}{4}/u;

/**
 * Whether a text looks like a person's name: at most 60 code points and 5 words of letters and marks of any script,
 * with hyphens, apostrophes and dots in them; no dot that a word follows, no digit, no other character.
 */
export function looksLikeName(text: string): boolean {
  if (!isWithin(text, nameCodePointsMax) || dotThenWord.test(text) || stackedMarks.test(text)) return false;
  return nameShape.test(text) && text.split(" ").length <= nameWordsMax;
}

/** `Hello Ann Buyer,` or `Hello,`. */
export const greeting = (name: string, hello = "Hello"): string =>
  looksLikeName(name) ? `${hello} ${name},` : `${hello},`;

const subjectCodePointsMax = 80;

/**
 * A stranger's text fit for the subject of a notice: one line, nothing invisible, at most 80 code points, and nothing
 * that a mail program would decode (RFC 2047).
 */
export function forSubject(text: string): string {
  const line = text
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .replaceAll("=?", "= ?")
    .trim();
  const signs = Array.from(line);
  return signs.length <= subjectCodePointsMax ? line : `${signs.slice(0, subjectCodePointsMax - 1).join("")}…`;
}
