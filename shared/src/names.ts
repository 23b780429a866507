// Which words of a stranger may stand in a mail as they are. A mail goes to an address that may not be the stranger's: without
// these rules the forms would send anyone's advertising under our name.
import { isWithin } from "./text.ts";

const nameCodePointsMax = 60;
const nameWordsMax = 5;
const titleCodePointsMax = 100;
const titleWordsMax = 12;

// Zero-width (non-)joiners stand inside words of Persian and of Indic scripts; anywhere else they only hide things.
const word = "\\p{L}(?:[\\p{L}\\p{M}'’ʼ.·-]|[\\u200C\\u200D](?=\\p{L}))*";
const nameShape = new RegExp(`^${word}(?: ${word})*$`, "u");
const titleShape = /^[\p{L}\p{M}\p{N} '’ʼ.·,;&+_()/–-]*$/u;
// "evil.com" and "t.co" are links once a mail program has seen them; "J.R.R. Tolkien" is not.
const dotThenWord = /\.[\p{M}]*\p{L}\p{M}*\p{L}/u;
const dotThenDigit = /\.\p{N}/u;
const stackedMarks = /\p{M}{4}/u;

const isHarmless = (text: string): boolean => !dotThenWord.test(text) && !stackedMarks.test(text);

/**
 * Whether a text looks like a person's name: at most 60 code points and 5 words of letters and marks of any script,
 * with hyphens, apostrophes and dots in them; no dot that a word follows, no digit, no other character.
 */
export function looksLikeName(text: string): boolean {
  if (!isWithin(text, nameCodePointsMax) || !isHarmless(text)) return false;
  return nameShape.test(text) && text.split(" ").length <= nameWordsMax;
}

/**
 * Whether a text looks like the name of a company, a position or a package, and like no link: at most 100 code points and 12
 * words of letters, marks and digits of any script, with the usual signs between them; no dot that a word or a digit follows,
 * no colon, no `@`.
 */
export function looksLikeTitle(text: string): boolean {
  if (!isWithin(text, titleCodePointsMax) || !isHarmless(text) || dotThenDigit.test(text)) return false;
  return titleShape.test(text) && !/www/i.test(text) && text.split(" ").length <= titleWordsMax;
}
