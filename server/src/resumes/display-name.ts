// The name that an applicant's file had, made fit to be shown to operators. It is never part of a path.
import { extensionOf } from "@submissions/shared/file-extension";
import { percentDecoded } from "@submissions/shared/text";

/** What file systems allow, so that the name survives a download. In bytes of UTF-8. */
const nameBytesMax = 255;

/** Controls, line and paragraph separators, and the marks that make text run the other way ("fdp.exe"). */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const blank = /[\s\u200b-\u200d\u2060\ufeff]/u;

/** Windows drops dots at the end, so there they hide an extension. */
const blankOrDot = /[\s.\u200b-\u200d\u2060\ufeff]/u;

// The base name of a file name of any system, without what could deceive the eye, at most 255 bytes long. Bytes that were
// not UTF-8 are `_`. Empty when nothing is left. Work is in proportion to the length.
export const cleanFilename = (filename: string): string => {
  const shown = decodeWords(filename).toWellFormed().replaceAll("\uFFFD", "_").replace(unfit, "");
  const base = shown.slice(Math.max(shown.lastIndexOf("/"), shown.lastIndexOf("\\")) + 1);
  // Cut first: composing takes the square of a run of marks. Cut again: composing may lengthen the name.
  return fit(fit(base).normalize("NFC"));
};

/**
 * The name of a form's file as its program meant it: browsers write quotation marks and line breaks with percent signs,
 * and some libraries all but plain letters (RFC 7578 4.2). A percent sign in any other name is one.
 */
export const formFilename = (name: string): string =>
  /^(?:[\w.~!'()*-]|%[0-9a-f]{2})+$/i.test(name)
    ? (percentDecoded(name) ?? name)
    : name.replace(/%(?:22|0d|0a)/gi, decodeURIComponent);

const encodedWord = /=\?([^?\s]+)\?([bq])\?([!->@-~]*)\?=/gi;

/** Some mail libraries write names in forms as in mails: `=?UTF-8?Q?r=C3=A9sum=C3=A9.pdf?=` (RFC 2047). */
const decodeWords = (name: string): string =>
  name.replace(/\?=\s+=\?/g, "?==?").replace(encodedWord, (word, charset: string, encoding: string, text: string) => {
    const bytes = encoding.toLowerCase() === "b" ? Buffer.from(text, "base64") : decodeQ(text);
    try {
      return new TextDecoder(charset).decode(bytes);
    } catch {
      // RangeError: there is no such charset.
      return word;
    }
  });

const decodeQ = (text: string): Buffer => {
  const byteOf = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  return Buffer.from(text.replaceAll("_", " ").replace(/=([0-9a-f]{2})/gi, byteOf), "latin1");
};

const fit = (name: string): string => {
  const base = trim(name);
  const { length } = extensionOf(base);
  if (length === 0) return trim(cutToBytes(base, nameBytesMax));
  const extension = base.slice(-1 - length);
  const stem = base === extension ? "resume" : base.slice(0, -extension.length);
  return cutToBytes(stem, nameBytesMax - extension.length) + extension;
};

/** A pattern anchored at the end would take the square of the length of a run of blanks within. */
const trim = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && blank.test(text.charAt(start))) start += 1;
  while (end > start && blankOrDot.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
};

const cutToBytes = (text: string, bytesMax: number): string =>
  text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytesMax)).read);

/** The name to save a resume under: that of the upload, with the extension of its kind when it has another or none. */
export const downloadName = (filename: string, kind: string): string =>
  extensionOf(filename) === kind ? filename : `${filename}.${kind}`;

/** A `Content-Disposition` that saves under this name (RFC 6266); for old programs also without what is not ASCII. */
export const attachmentHeader = (filename: string): string => {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
};
