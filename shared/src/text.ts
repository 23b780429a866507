// One definition of each kind of text: how it is cleaned, what is refused, and in which words. The schemas are made of
// these (fields.ts), and so are the checks of the forms, which do without zod: it is three times as large as they are.
import { textLengthMax } from "./limits.ts";

/** What holds of a text field. */
export interface TextRule<Required extends boolean = boolean> {
  /** Whether it must be there. A blank text that need not be counts as absent. */
  readonly required: Required;
  /** What becomes of a text before it is checked and stored. */
  readonly clean: (raw: string) => string;
  /** Each says whether a cleaned text passes, and what to do about one that does not. */
  readonly checks: readonly (readonly [passes: (value: string) => boolean, message: string])[];
  /** What JSON Schema can say of it. Written by hand: JSON Schema counts code points, and zod's `max` UTF-16 units. */
  readonly json: { readonly format?: string; readonly minLength?: number; readonly maxLength: number };
}

/** Said of whatever is missing. */
export const missing = "This field is required.";

// White space and characters that take no room, which people paste without knowing and cannot see to remove.
const invisible = "[\\s\\p{White_Space}\\u00AD\\u034F\\u061C\\u180E\\u200B-\\u200F\\u2060-\\u2064\\uFEFF]";
const isInvisible = new RegExp(invisible, "u");
// No script stacks this many marks on one letter (UAX 15 takes 30 for the most that occurs), and normalising a run of
// them takes the square of its length.
const markRun = /\p{M}{100}/u;
// Letters that draw nothing (Hangul fillers, the blank Braille cell): a name of these alone is no name.
const blank = new RegExp(`^(?:${invisible}|[\\u115F\\u1160\\u2800\\u3164\\uFFA0])*$`, "u");
const singleLineControls = /[\u0000-\u001F\u007F-\u009F]/;
const multiLineControls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/;

/** Whether text can be normalised in time that does not grow with the square of its length. */
export const isNormalisable = (raw: string): boolean => !markRun.test(raw);

/** NFC, trimmed of white space and of characters without width. Text that cannot be normalised stays as it is. */
export const cleanText = (raw: string): string => (isNormalisable(raw) ? trim(raw).normalize("NFC") : raw);

// Not a pattern that is anchored at the end: on a long run of blanks within, that takes the square of the time.
function trim(raw: string): string {
  let start = 0;
  let end = raw.length;
  while (start < end && isInvisible.test(raw.charAt(start))) start += 1;
  while (end > start && isInvisible.test(raw.charAt(end - 1))) end -= 1;
  return raw.slice(start, end);
}

const cleanLines = (raw: string): string => cleanText(raw.replace(/\r\n?/g, "\n"));

/** Whether a text shows nothing. */
export const isBlank = (value: string): boolean => blank.test(value);

/** Code points, not UTF-16 units: an emoji counts once. */
function codePointsWithin(value: string, max: number): boolean {
  if (value.length <= max) return true;
  if (value.length > 2 * max) return false;
  return Array.from(value).length <= max;
}

/** How long a text may be, and whether it has lines. */
export interface TextOptions {
  /** Longest text in code points. */
  readonly max: number;
  readonly multiline?: boolean;
}

// What every text is made of.
function text({ max, multiline }: TextOptions): Omit<TextRule, "required"> {
  const controls = multiline ? multiLineControls : singleLineControls;
  return {
    clean: multiline ? cleanLines : cleanText,
    checks: [
      [(value) => !controls.test(value) && value.isWellFormed(), "Control characters are not allowed."],
      [isNormalisable, "Too many combining marks."],
      [(value) => codePointsWithin(value, max), `At most ${max.toLocaleString("en")} characters.`],
    ],
    json: { maxLength: max },
  };
}

/** Required single-line text of 1 to `max` code points. */
export function requiredText(max: number): TextRule<true> {
  const { clean, checks, json } = text({ max });
  return {
    required: true,
    clean,
    checks: [...checks, [(value) => !isBlank(value), missing]],
    json: { ...json, minLength: 1 },
  };
}

/** Optional text of at most `max` code points; blank is absent. */
export const optionalText = (options: TextOptions): TextRule<false> => ({ required: false, ...text(options) });

// Optional text that has to look like something, unless it is blank.
function optionalShape(max: number, passes: (value: string) => boolean, message: string): TextRule<false> {
  const rule = optionalText({ max });
  return { ...rule, checks: [...rule.checks, [(value) => isBlank(value) || passes(value), message]] };
}

const anyName = requiredText(textLengthMax.name);

/**
 * A person's name, 1 to 200 code points in any script. Names with a link in them are refused: mail that quotes a name
 * must not carry a stranger's links.
 */
export const personName: TextRule<true> = {
  ...anyName,
  checks: [...anyName.checks, [(value) => !/:\/\/|www\./i.test(value), "A name cannot contain a web address."]],
};

const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const hostLabel = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostName = new RegExp(`^(?:${hostLabel}\\.)+(?![0-9]+$)${hostLabel}$`, "i");

// Converts an international host name to its ASCII form. `URL` is the one IDNA implementation that browsers and Node
// share. It would also decode percent signs and map look-alikes (full-width letters, ligatures) to other names, so only
// letters, digits and hyphens in their normal form reach it; anything else stays and is refused.
function hostToAscii(host: string): string {
  const international = /[^\u0000-\u007F]/.test(host) && /^[\p{L}\p{M}\p{N}.-]+$/u.test(host);
  if (!international || host.normalize("NFKC") !== host) return host;
  return URL.parse(`http://${host}`)?.hostname ?? host;
}

function cleanEmail(raw: string): string {
  const value = cleanText(raw);
  const at = value.lastIndexOf("@");
  return at < 0 ? value : `${value.slice(0, at)}@${hostToAscii(value.slice(at + 1)).toLowerCase()}`;
}

function isEmail(value: string): boolean {
  const at = value.lastIndexOf("@");
  const [local, host] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)];
  return value.length <= textLengthMax.email && local.length <= 64 && localPart.test(local) && hostName.test(host);
}

/**
 * One e-mail address: an unquoted local part of at most 64 characters, a dotted host name, 254 characters in all
 * (RFC 5321 4.5.3.1). International host names are kept in their ASCII form. No display names, comments, quoted local
 * parts or address literals. Keeps the case of the local part.
 */
export const email: TextRule<true> = {
  required: true,
  clean: cleanEmail,
  checks: [[isEmail, "Enter one e-mail address, like name@example.org."]],
  json: { format: "email", minLength: 3, maxLength: textLengthMax.email },
};

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\//i.test(value) || /\s/u.test(value)) return false;
  return (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "";
}

const anyUrl = optionalShape(textLengthMax.url, isWebUrl, "Enter a web address that starts with http:// or https://.");

/**
 * An optional http or https address of at most 2,048 code points, without credentials. It is stored as it was sent and
 * shown as inert text; the service never fetches it.
 */
export const optionalWebUrl: TextRule<false> = { ...anyUrl, json: { ...anyUrl.json, format: "uri" } };

const phoneShape = /^[+(]?[\p{Nd}\s().,;/#*+-]*(?:(?:ext|x)\.?\s*\p{Nd}+)?$/iu;

/**
 * An optional telephone number as people write it, at most 40 code points: digits of any script, spaces and
 * punctuation, an extension; at least three digits.
 */
export const optionalPhone: TextRule<false> = optionalShape(
  textLengthMax.phone,
  (value) => phoneShape.test(value) && (value.match(/\p{Nd}/gu)?.length ?? 0) >= 3,
  "Enter a telephone number.",
);
