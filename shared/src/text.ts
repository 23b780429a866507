// The rules of texts as plain functions. The schemas are built from them (fields.ts), and so are the checks of the
// forms, which do without zod because it is three times as large as the forms.
import { textLengthMax } from "./limits.ts";

/** How one text field is read. {@link readText} applies it. */
export interface TextRule<Required extends boolean = boolean> {
  /** Whether the field must be filled in. A blank text counts as absent. */
  readonly required: Required;
  /** Longest text in code points, after cleaning. */
  readonly lengthMax: number;
  /** What is stored of a raw text: it is trimmed and normalised. Called for bounded text only. */
  readonly clean: (raw: string) => string;
  /** Says what is wrong with a cleaned text of allowed length that is not blank; undefined when nothing is. */
  readonly problemOf: (text: string) => string | undefined;
  /** What JSON Schema can say beside the lengths. */
  readonly format?: "email" | "uri";
}

/** A text that was read: the value to store (undefined: absent), or what is wrong with it, in words for a person. */
export type TextReading =
  | { readonly value: string | undefined; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** The message for a required field that is absent. */
export const missing = "This field is required.";

/** A raw text may hold this many code units for each code point of its limit: accents and white space that cleaning removes. */
export const rawLengthFactor = 4;

/**
 * Reads a raw text. The raw length is checked first, so that cleaning, patterns and parsers see bounded text only.
 *
 * @returns the cleaned text, undefined for a blank one that is not required, or the first problem
 */
export function readText({ required, lengthMax, clean, problemOf }: TextRule, raw: string): TextReading {
  if (raw.length > rawLengthFactor * lengthMax) return { problem: tooLong(lengthMax) };
  const value = clean(raw);
  if (isBlank(value)) return required ? { problem: missing } : { value: undefined };
  const problem = isWithin(value, lengthMax) ? problemOf(value) : tooLong(lengthMax);
  return problem === undefined ? { value } : { problem };
}

/** The beginning of a text: at most so many code points, of at most two code units each. */
export function firstCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = Array.from(text.slice(0, 2 * max));
  return points.slice(0, max).join("");
}

/** The message for a text of more code points than `max`. */
export const tooLong = (max: number): string => `At most ${max.toLocaleString("en")} characters.`;

/** Whether a text has at most `max` code points. An emoji counts once, although it takes two places of a string. */
export function isWithin(text: string, max: number): boolean {
  if (text.length <= max) return true;
  return text.length <= 2 * max && Array.from(text).length <= max;
}

const outsideAscii = /[^\x20-\x7E]/;
// White space and zero-width characters. People paste them without knowing it.
const invisible = "\\s\\p{White_Space}\\u00AD\\u034F\\u061C\\u180E\\u200B-\\u200F\\u2060-\\u2064\\uFEFF";
const isInvisible = new RegExp(`[${invisible}]`, "u");
// Fillers, variation selectors and the blank Braille cell draw nothing by themselves. A name of these alone is no name.
const visible = new RegExp(`[^${invisible}\\p{Default_Ignorable_Code_Point}\\u2800]`, "u");
const bidiOverrides = /[\u202A-\u202E\u2066-\u2069]/g;
const singleLineControls = /[\u0000-\u001F\u007F-\u009F]/;
const multiLineControls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/;
// Normalising a run of combining marks takes the square of its length. UAX 15 expects at most 30 in real text. The
// pattern tries only the beginning of each run, so it takes linear time.
const longMarkRun = /(?<!\p{M})\p{M}{100}/u;

/** Whether a text can be normalised in linear time: it has no run of 100 combining marks. */
export const isNormalisable = (text: string): boolean => !longMarkRun.test(text);

/** Whether a text draws nothing. */
export const isBlank = (text: string): boolean => !visible.test(text);

/**
 * One line, cleaned: without bidirectional overrides, without white space and zero-width characters at its ends, NFC. A
 * tab, which people paste from tables, becomes a space. Takes linear time. A text that is not {@link isNormalisable} is
 * not normalised.
 */
export const cleanLine = (raw: string): string =>
  outsideAscii.test(raw) ? trimmed(raw.replace(bidiOverrides, "").replaceAll("\t", " ")) : raw.trim();

/** Several lines, cleaned: trimmed, NFC. Line ends become LF, and so do the vertical tabs and form feeds of word processors. */
const cleanLines = (raw: string): string =>
  outsideAscii.test(raw) ? trimmed(raw.replace(/\r\n?|[\v\f]/g, "\n")) : raw.trim();

/** A text without white space and zero-width characters at its ends, NFC where it is {@link isNormalisable}. */
export function trimmed(raw: string): string {
  // Not by a pattern anchored at the end: a long run of blanks within the text would take the square of its length.
  let start = 0;
  let end = raw.length;
  while (start < end && isInvisible.test(raw.charAt(start))) start += 1;
  while (end > start && isInvisible.test(raw.charAt(end - 1))) end -= 1;
  const text = raw.slice(start, end);
  return isNormalisable(text) ? text.normalize("NFC") : text;
}

/** What a text says without its percent-encoding; undefined: it is not encoded rightly (URIError). */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function problemOfText(text: string, controls: RegExp): string | undefined {
  if (controls.test(text) || !text.isWellFormed()) return "Control characters are not allowed.";
  return isNormalisable(text) ? undefined : "Too many combining marks.";
}

/** The problem of a text that must be one line. */
export const problemOfLine = (text: string): string | undefined => problemOfText(text, singleLineControls);

/** A required line of 1 to `lengthMax` code points. */
export const requiredText = (lengthMax: number): TextRule<true> => ({
  required: true,
  lengthMax,
  clean: cleanLine,
  problemOf: problemOfLine,
});

/** An optional line of at most `lengthMax` code points. */
export const optionalText = (lengthMax: number): TextRule<false> => ({ ...requiredText(lengthMax), required: false });

/** An optional text of at most `lengthMax` code points that may hold line breaks and tabs. */
export const optionalMultilineText = (lengthMax: number): TextRule<false> => ({
  required: false,
  lengthMax,
  clean: cleanLines,
  problemOf: (text) => problemOfText(text, multiLineControls),
});

/** A rule that also demands a shape; `message` is the problem of a text without it. */
export const shaped = <Required extends boolean>(
  rule: TextRule<Required>,
  hasShape: (text: string) => boolean,
  message: string,
): TextRule<Required> => ({
  ...rule,
  problemOf: (text) => rule.problemOf(text) ?? (hasShape(text) ? undefined : message),
});

/**
 * A person's name, 1 to 200 code points in any script. A name with a link is refused, because mail quotes names and
 * must not carry a stranger's links.
 */
export const personName: TextRule<true> = shaped(
  requiredText(textLengthMax.name),
  (text) => !/:\/\/|www\./i.test(text),
  "A name cannot contain a web address.",
);

// Signs as phone keyboards, office programs and Asian keyboards write them: dashes, brackets, dots and plus of any width.
const phoneSigns = "\\s()\\[\\]（）［］\\p{Pd}\\u2212\\u30FC\\u200B-\\u200F\\u2060.,;/#*+~．，／＃＊＋～";
const phoneShape = new RegExp(`^[\\p{Nd}${phoneSigns}]*(?:(?:ext(?:ension|n)?|x)\\.?\\s*\\p{Nd}+)?$`, "iu");

/**
 * An optional telephone number as people write it, at most 40 code points: at least three digits of any script, spaces,
 * punctuation and an extension.
 */
export const optionalPhone: TextRule<false> = shaped(
  optionalText(textLengthMax.phone),
  (text) => phoneShape.test(text) && (text.match(/\p{Nd}/gu)?.length ?? 0) >= 3,
  "Enter a telephone number.",
);
