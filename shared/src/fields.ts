// One definition of each kind of field: how it is cleaned, what is refused, and in which words. The zod schemas of the
// three submissions are built from these and from nothing else, on the server and in the browser.
import { z } from "zod";
import { textLengthMax } from "./limits.ts";

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

/** Code points, not UTF-16 units: an emoji counts once. */
function codePointsWithin(value: string, max: number): boolean {
  if (value.length <= max) return true;
  if (value.length > 2 * max) return false;
  return Array.from(value).length <= max;
}

// A form field that was sent twice arrives as a list.
const notText = (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? "This field is required." : "This field must be one text.";

interface TextRule {
  /** Longest text in code points. */
  readonly max: number;
  readonly multiline?: boolean;
}

// The base of every text: a string whose checks are written down in the JSON Schema by hand, because JSON Schema counts
// code points and zod's own `max` counts UTF-16 units.
function text(rule: TextRule) {
  const controls = rule.multiline ? multiLineControls : singleLineControls;
  return z
    .string({ error: notText })
    .overwrite(rule.multiline ? cleanLines : cleanText)
    .refine((value) => !controls.test(value) && value.isWellFormed(), "Control characters are not allowed.")
    .refine(isNormalisable, "Too many combining marks.")
    .refine((value) => codePointsWithin(value, rule.max), `At most ${rule.max.toLocaleString("en")} characters.`);
}

const isBlank = (value: string) => blank.test(value);

/** A blank optional text counts as absent. */
const absentIfBlank = (value: string | undefined) => (value === undefined || isBlank(value) ? undefined : value);

/** Required single-line text of 1 to `max` code points. */
export const requiredText = (max: number) =>
  text({ max })
    .refine((value) => !isBlank(value), "This field is required.")
    .meta({ minLength: 1, maxLength: max });

/** Optional text of at most `max` code points; blank is absent. */
export const optionalText = (rule: TextRule) =>
  text(rule).meta({ maxLength: rule.max }).optional().transform(absentIfBlank);

/**
 * A person's name, 1 to 200 code points in any script. Names with a link in them are refused: mail that quotes a name
 * must not carry a stranger's links.
 */
export const personName = requiredText(textLengthMax.name)
  .refine((value) => !/:\/\/|www\./i.test(value), "A name cannot contain a web address.")
  .meta({ minLength: 1, maxLength: textLengthMax.name });

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
 * parts or address literals. Keeps the case of the local part; compare with {@link emailKey}.
 */
export const email = z
  .string({ error: notText })
  .overwrite(cleanEmail)
  .refine(isEmail, "Enter one e-mail address, like name@example.org.")
  .meta({ format: "email", minLength: 3, maxLength: textLengthMax.email });

/** The form in which two e-mail addresses are compared. */
export const emailKey = (address: string): string => address.toLowerCase();

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\//i.test(value) || /\s/u.test(value)) return false;
  return (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "";
}

/**
 * An optional http or https address of at most 2,048 code points, without credentials. It is stored as it was sent and
 * shown as inert text; the service never fetches it.
 */
export const optionalWebUrl = text({ max: textLengthMax.url })
  .refine((value) => isBlank(value) || isWebUrl(value), "Enter a web address that starts with http:// or https://.")
  .meta({ format: "uri", maxLength: textLengthMax.url })
  .optional()
  .transform(absentIfBlank);

const phoneShape = /^[+(]?[\p{Nd}\s().,;/#*+-]*(?:(?:ext|x)\.?\s*\p{Nd}+)?$/iu;

/**
 * An optional telephone number as people write it, at most 40 code points: digits of any script, spaces and
 * punctuation, an extension; at least three digits.
 */
export const optionalPhone = text({ max: textLengthMax.phone })
  .refine(
    (value) => isBlank(value) || (phoneShape.test(value) && (value.match(/\p{Nd}/gu)?.length ?? 0) >= 3),
    "Enter a telephone number.",
  )
  .meta({ maxLength: textLengthMax.phone })
  .optional()
  .transform(absentIfBlank);
