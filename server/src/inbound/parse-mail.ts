// A mail's headers, texts and parts from its bytes, bounded in every direction: the sender may be anyone.
import { isUtf8 } from "node:buffer";
import PostalMime from "postal-mime";
import { assemble, type InboundMail, type Source, unreadable } from "./inbound-mail.ts";
import type { Flow } from "./visible-text.ts";

/** Each line takes postal-mime 300 bytes, and each piece of Base64, which `=` ends, 400: outside of the heap that is bounded. */
const bounds = { headerBytes: 256 * 1024, depth: 20, parts: 2_000, lines: 1_000_000, base64Pieces: 1_000_000 };
/** Where the headers of a text stand, and all that is read of a mail that cannot be read as a whole. */
const beginningBytes = 64 * 1024;

/** @param delivered addresses that it was delivered to, beside those that its headers name */
export async function parseMail(
  raw: Uint8Array,
  delivered: readonly string[] = [],
  { headersOnly = false } = {},
): Promise<InboundMail> {
  try {
    if (!headersOnly) return assemble(await readSource(raw), delivered);
  } catch {
    // Too many headers, or parts in parts too deep.
  }
  return assemble({ ...(await readSource(headersOf(raw))), text: unreadable }, delivered);
}

async function readSource(raw: Uint8Array): Promise<Source> {
  const whole = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (
    occursMoreThan(bounds.lines, "\n", whole) ||
    occursMoreThan(bounds.parts, "\n--", whole) ||
    hasManyPieces(whole)
  ) {
    throw new Error("More lines, parts or pieces than any program writes.");
  }
  const beginning = beginningOf(raw);
  const [head = ""] = beginning.split(blankLine, 1);
  if (untold.test(head)) return readSource(asPlainText(raw, head));
  const charsets = charsetsIn(beginning);
  const isWestern = !coded.test(head) && !isUtf8(raw);
  const { bytes, flow } = keepFolded(isWestern ? Buffer.from(westernOf(raw)) : withHeadersInUtf8(raw, head, charsets));
  const { headers, text, html, attachments } = await PostalMime.parse(bytes, {
    // A message inside is another person's words: a file, not text of this one.
    forceRfc822Attachments: true,
    maxNestingDepth: bounds.depth,
    maxHeadersSize: bounds.headerBytes,
  });
  // Of many files some are kept: not those that a signature draws, while there are others.
  const ordered = attachments.toSorted((one, other) => Number(one.related ?? false) - Number(other.related ?? false));
  const parts = ordered.map(({ filename, mimeType, content }) => ({
    filename,
    mimeType,
    content: typeof content === "string" ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer),
  }));
  // The boundary that the header names stands nowhere in the body, which is read as one text.
  if (text === undefined && html === undefined && parts.length === 0 && typed.test(head)) {
    return readSource(asPlainText(raw, head));
  }
  const isVague = charsets.some((charset) => western.test(charset) || !isCharset(charset));
  const decoded = (written: string | undefined) => (isVague && written !== undefined ? inUtf8(written) : written);
  const charset = charsets.find((one) => isCharset(one) && !/^utf-?8$/i.test(one));
  return { headers, text: decoded(text), html: decoded(html), flow, parts, ...(charset !== undefined && { charset }) };
}

const beginningOf = (raw: Uint8Array) => Buffer.from(raw.subarray(0, beginningBytes)).toString("latin1");

const blankLine = /\r?\n\r?\n/;
const typed = /^content-type:/im;
/** A type that is none means plain text (RFC 2045 5.2). */
const untold = /^content-type:(?!\s*[^\s/;]+\/[^\s/;])/im;

/** The mail tells its charset, or has parts or a file. */
const coded = /\bcharset\b|^content-type:(?!\s*text\/)/im;

const asPlainText = (raw: Uint8Array, head: string): Uint8Array =>
  Buffer.concat([
    Buffer.from(head.replaceAll(new RegExp(typed, "gim"), "x-ontent-type:"), "latin1"),
    raw.subarray(head.length),
  ]);

/** That a mail names for its texts, without repeats. */
function charsetsIn(beginning: string): string[] {
  const named = Array.from(beginning.matchAll(/\bcharset="?([\w.:-]{1,40})/gi), ([, charset = ""]) => charset);
  return [...new Set(named)].slice(0, 20);
}

function isCharset(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    // No such charset.
    return false;
  }
}

/** Programs also name these for texts in UTF-8. No text that makes sense in them is UTF-8 by chance. */
const western = /^(?:us-ascii|iso-8859-1|windows-1252)$/i;

const westernOf = (bytes: Uint8Array) => new TextDecoder("windows-1252").decode(bytes);
/** Upper half of the charset by which postal-mime reads a text whose charset has no more than ASCII, or is none. */
const upperHalf = westernOf(Uint8Array.from({ length: 128 }, (_, at) => 128 + at));

/** Headers of parts, which begin behind a boundary. */
const partHeadersMax = 8 * 1024;

/**
 * Writes headers of other bytes than UTF-8, of the mail and of its parts, in UTF-8: postal-mime reads no others. They have
 * the charset of its texts, if each of its characters is one byte: in others, a byte of the sender could take away the
 * quote behind it that our server wrote.
 */
function withHeadersInUtf8(raw: Uint8Array, head: string, charsets: readonly string[]): Uint8Array {
  if (isUtf8(raw)) return raw;
  const charset = charsets.find((one) => isCharset(one) && /^(?:iso-8859-|windows-125|cp125|koi8-)/i.test(one));
  const decoder = new TextDecoder(charset ?? "windows-1252");
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const pieces: Uint8Array[] = [];
  let [from, to] = [0, head.length < beginningBytes ? head.length : 0];
  let end = 0;
  for (;;) {
    const headers = bytes.subarray(from, to);
    if (!isUtf8(headers)) {
      pieces.push(bytes.subarray(end, from), Buffer.from(decoder.decode(headers)));
      end = to;
    }
    const boundary = bytes.indexOf("\n--", to);
    from = boundary < 0 ? -1 : bytes.indexOf("\n", boundary + 1) + 1;
    if (from <= 0) break;
    const [block = ""] = bytes.toString("latin1", from, from + partHeadersMax).split(blankLine, 1);
    to = /^content-/i.test(block) && block.length < partHeadersMax ? from + block.length : from - 1;
  }
  return Buffer.concat([...pieces, bytes.subarray(end)]);
}

/** A text that was read so, by UTF-8 where its bytes are that. Makes no text for each character: it may have 35 million. */
function inUtf8(text: string): string {
  const bytes = Buffer.alloc(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const upper = code < 256 ? -1 : upperHalf.indexOf(text.charAt(at));
    if (code >= 256 && upper < 0) return text;
    bytes[at] = upper < 0 ? code : 128 + upper;
  }
  return isUtf8(bytes) ? bytes.toString() : text;
}

/**
 * postal-mime unfolds a text without regard to quotes, so that words below a quote become part of it (RFC 3676 4.5). It
 * is kept from that by another name of the format.
 */
function keepFolded(raw: Uint8Array): { bytes: Uint8Array; flow: Flow } {
  const beginning = beginningOf(raw);
  if (!/\bformat="?flowed/i.test(beginning)) return { bytes: raw, flow: "fixed" };
  const bytes = Uint8Array.from(raw);
  for (const { index } of beginning.matchAll(/(?<=^(?:content-type:|[ \t]).{0,200}\bformat="?)flowed/gim)) {
    bytes.set(Buffer.from("folded"), index);
  }
  return { bytes, flow: /\bdelsp="?yes/i.test(beginning) ? "delsp" : "flowed" };
}

/**
 * Whether a mail may hold more pieces of Base64 than are read. Parts in quoted-printable are not counted: some programs write
 * large files so, and `=` is then part of a byte. Any other name is taken for Base64, because `ba(x)se64` means it, too.
 */
function hasManyPieces(bytes: Buffer): boolean {
  if (!occursMoreThan(bounds.base64Pieces, "=", bytes)) return false;
  const [, ...codings] = bytes.toString("latin1").split(/content-transfer-encoding/i);
  const maybeBase64 = codings.filter((rest, at) => {
    const isOnlyOne = blankLine.test(rest) && (at === 0 || blankLine.test(codings[at - 1] ?? ""));
    return !isOnlyOne || !/^:[ \t]*quoted-printable[ \t]*\r?\n/i.test(rest);
  });
  return occursMoreThan(bounds.base64Pieces, "=", maybeBase64.join(""));
}

function occursMoreThan(max: number, mark: string, text: string | Buffer): boolean {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0 && count <= max; at = text.indexOf(mark, at + 1)) count += 1;
  return count > max;
}

/** The beginning of the headers, as a mail without text. */
function headersOf(raw: Uint8Array): Uint8Array {
  const [head = ""] = beginningOf(raw).split(blankLine, 1);
  return asPlainText(Buffer.from(`${head}\r\n\r\n`, "latin1"), head);
}
