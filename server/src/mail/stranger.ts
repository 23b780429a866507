// What of a stranger's words may stand in a mail that goes to an address nobody has proven: a receipt greets by name
// only what looks like a name, and lists only what looks like an identifier. Without these rules the form would send
// anyone's advertising under our name. It knows nothing of templates.

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
  if (text.length > 2 * nameCodePointsMax || Array.from(text).length > nameCodePointsMax) return false;
  if (dotThenWord.test(text) || stackedMarks.test(text)) return false;
  return nameShape.test(text) && text.split(" ").length <= nameWordsMax;
}

/** `Hello Ann Buyer,` or `Hello,`. */
export const greeting = (name: string): string => (looksLikeName(name) ? `Hello ${name},` : "Hello,");

const identifierShape = /^[A-Za-z0-9._:-]{1,100}$/;
// Mail programs make links of host names, addresses with a scheme, IP addresses and telephone numbers.
const hostName = /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)(?![a-z0-9_])|www\.|localhost/i;
const scheme = /(?:https?|ftp|file|mailto|tel|sms|skype|callto|facetime|javascript|data|magnet|bitcoin):/i;
const ipAddress = /\d+\.\d+\.\d+\.\d+|^[0-9a-f]*:[0-9a-f:]*:[0-9a-f]*$/i;
const telephone = /(?<![0-9A-Za-z])\d{3}[-.:]\d{3,4}[-.:]\d{4}(?![0-9A-Za-z])/;

/** Whether a text looks like an identifier and not like anything that could be clicked or called. */
export const looksLikeIdentifier = (text: string): boolean =>
  identifierShape.test(text) && ![hostName, scheme, ipAddress, telephone].some((shape) => shape.test(text));

const subjectTextMax = 80;

/** A stranger's text fit for a subject of a mail to the team: one line, nothing invisible, at most 80 code points. */
export function forSubject(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  const points = Array.from(line);
  return points.length <= subjectTextMax ? line : `${points.slice(0, subjectTextMax - 1).join("")}…`;
}
