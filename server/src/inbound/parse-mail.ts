// A mail's headers, text and files, from its bytes or from what Postmark tells of it. Bounded in every direction: the
// sender may be anyone.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import PostalMime, { addressParser, decodeWords } from "postal-mime";
import { z } from "zod";
import { jsonIn } from "../read-unknown.ts";
import { readAuthenticationResults, readReceivedSpf } from "./authentication.ts";
import { readReport } from "./report.ts";
import { withoutQuotes } from "./quotes.ts";
import { cleanOneLine, type Flow, visibleText, type Written } from "./visible-text.ts";

export type InboundMail = ReturnType<typeof assemble>;

/** What is no mail at all. */
export class MalformedMail extends Error {}

const unreadable = "(The text of this mail could not be read.)";

const bounds = {
  headerBytes: 256 * 1024,
  depth: 20,
  parts: 2_000,
  lines: 1_500_000,
  recipients: 1_200,
  identifiers: 100,
  senders: 20,
  results: 20,
};
const attachmentsMax = 100;
/** Where the headers of a text stand, and all that is read of a mail that cannot be read as a whole. */
const beginningBytes = 64 * 1024;

type Part = { filename: string | null; mimeType: string; content: Uint8Array };
type Source = Written & {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly parts: readonly Part[];
};

export async function parseMail(raw: Uint8Array, delivered: readonly string[] = [], { headersOnly = false } = {}) {
  try {
    if (!headersOnly) return assemble(await readSource(raw), delivered);
  } catch {
    // Too many headers, or parts in parts too deep.
  }
  return assemble({ ...(await readSource(headersOf(raw))), text: unreadable }, delivered);
}

async function readSource(raw: Uint8Array): Promise<Source> {
  if (countOf(raw, "\n", bounds.lines) + countOf(raw, "\n--", bounds.parts) === Number.POSITIVE_INFINITY) {
    throw new Error("More lines or parts than any program writes.");
  }
  const beginning = beginningOf(raw);
  const [head = ""] = beginning.split(blankLine, 1);
  if (untold.test(head)) return readSource(asPlainText(raw, head));
  const isWestern = !coded.test(head) && !isUtf8(raw);
  const { bytes, flow } = keepFolded(isWestern ? Buffer.from(westernOf(raw)) : raw);
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
  const isVague = /\bcharset="?(?:us-ascii|x-unknown|unknown-8bit)\b/i.test(beginning);
  const decoded = (written: string | undefined) => (isVague && written !== undefined ? inUtf8(written) : written);
  return { headers, text: decoded(text), html: decoded(html), flow, parts };
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

const westernOf = (bytes: Uint8Array) => new TextDecoder("windows-1252").decode(bytes);
/** Upper half of the charset by which postal-mime reads a text whose charset has no more than ASCII, or is none. */
const upperHalf = westernOf(Uint8Array.from({ length: 128 }, (_, at) => 128 + at));

/** A text that was read so, by UTF-8 where its bytes are that. */
function inUtf8(text: string): string {
  const characters = text.replace(/[^\u0000-\u00FF]/g, (one) => {
    const at = upperHalf.indexOf(one);
    return at < 0 ? one : String.fromCodePoint(128 + at);
  });
  const bytes = /[^\u0000-\u00FF]/.test(characters) ? null : Buffer.from(characters, "latin1");
  return bytes !== null && isUtf8(bytes) ? bytes.toString() : text;
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

/** How often a mark occurs; infinity beyond `max`. */
function countOf(raw: Uint8Array, mark: string, max: number): number {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  let count = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    count += 1;
    if (count > max) return Number.POSITIVE_INFINITY;
  }
  return count;
}

/** The beginning of the headers, as a mail without text. */
function headersOf(raw: Uint8Array): Uint8Array {
  const [head = ""] = beginningOf(raw).split(blankLine, 1);
  return asPlainText(Buffer.from(`${head}\r\n\r\n`, "latin1"), head);
}

const text = z.string().catch("");
const header = z.object({ Name: z.string(), Value: text });
const person = z.object({ Email: text, Name: text });
const persons = z.array(person).catch([]);
const attachment = z.object({ Name: text, Content: text, ContentType: text, ContentID: text });
/** Postmark's document of a mail, as far as it is read: https://postmarkapp.com/developer/webhooks/inbound-webhook */
const postmarkMail = z
  .object({
    RawEmail: z.string().optional().catch(undefined),
    FromFull: person.optional().catch(undefined),
    From: text,
    To: text,
    Cc: text,
    ToFull: persons,
    CcFull: persons,
    BccFull: persons,
    OriginalRecipient: text,
    Subject: text,
    Date: text,
    TextBody: text,
    HtmlBody: text,
    Headers: z.array(header).optional(),
    Attachments: z.array(attachment).catch([]),
  })
  .refine(({ From, FromFull, Headers }) => Headers !== undefined || FromFull !== undefined || From !== "");

/** @throws MalformedMail when it is no document of Postmark's */
export async function parsePostmark(body: Uint8Array, { headersOnly = false } = {}): Promise<InboundMail> {
  const json = jsonIn(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  if (json === undefined) throw new MalformedMail("This is no JSON.");
  const read = postmarkMail.safeParse(json);
  if (!read.success) throw new MalformedMail("This is no mail of Postmark's.");
  const mail = read.data;
  const delivered = mail.OriginalRecipient === "" ? [] : [mail.OriginalRecipient];
  if (mail.RawEmail !== undefined && mail.RawEmail !== "") {
    return parseMail(Buffer.from(mail.RawEmail), delivered, { headersOnly });
  }
  const headers = (mail.Headers ?? [])
    .slice(0, 1_000)
    .map(({ Name, Value }) => ({ key: Name.toLowerCase(), value: Value }));
  const lacking = Object.entries({ subject: mail.Subject, date: mail.Date, to: mail.To, cc: mail.Cc })
    .map(([key, value]) => ({ key, value }))
    .filter(({ key, value }) => value !== "" && !headers.some((each) => each.key === key));
  const listed = (list: typeof mail.ToFull) => list.slice(0, bounds.recipients).map(({ Email }) => Email);
  const from = mail.FromFull ?? { Email: mail.From, Name: "" };
  const source: Source = {
    headers: [...headers, ...lacking],
    text: headersOnly ? unreadable : mail.TextBody,
    html: headersOnly ? "" : mail.HtmlBody,
    flow: "fixed",
    parts: mail.Attachments.toSorted((one, other) => Number(one.ContentID !== "") - Number(other.ContentID !== ""))
      .slice(0, attachmentsMax)
      .map(({ Name, Content, ContentType }) => ({
        filename: Name,
        mimeType: ContentType.toLowerCase(),
        content: headersOnly ? new Uint8Array() : Uint8Array.from(Buffer.from(Content, "base64")),
      })),
  };
  const recipients = [...delivered, ...[mail.ToFull, mail.CcFull, mail.BccFull].flatMap(listed)];
  const assembled = assemble(source, recipients);
  return assembled.from.length > 0 ? assembled : { ...assembled, from: [sender(from.Email, from.Name)] };
}

function assemble({ headers, parts, ...written }: Source, delivered: readonly string[]) {
  const all = (key: string) => headers.filter((each) => each.key === key).map(({ value }) => value);
  const first = (key: string) => all(key)[0];
  const identifiers = (key: string) => identifiersIn(all(key).join(" ")).slice(-bounds.identifiers);
  const [messageId] = identifiers("message-id");
  const date = new Date(first("date") ?? "");
  const visible = visibleText(written);
  const returnPath = first("return-path");
  const isReport = /^\s*multipart\/report\b/i.test(first("content-type") ?? "");
  const spf = readReceivedSpf(first("received-spf")?.slice(0, 2_000) ?? "");
  return {
    // Message identifiers are without their angle brackets.
    ...(messageId !== undefined && { messageId }),
    inReplyTo: identifiers("in-reply-to"),
    references: identifiers("references"),
    /** The mailboxes of all From headers; groups are flattened. */
    from: all("from").flatMap(addressesIn).slice(0, bounds.senders),
    /** The one that Postmark delivered to, and those that headers name. */
    recipients: recipientsOf(all, delivered),
    subject: cleanOneLine(decodeWords((first("subject") ?? "").slice(0, 4_000)), 500),
    ...(!Number.isNaN(date.getTime()) && { date }),
    // The whole text, and whether it came from HTML.
    ...visible,
    /** The text without what is quoted. */
    reply: withoutQuotes(visible.text),
    /** Whether a program sent it. */
    automatic:
      isReport ||
      (returnPath !== undefined && /^\s*(?:<\s*>)?\s*$/.test(returnPath)) ||
      all("auto-submitted").some((value) => !/^\s*(?:\([^)]*\)\s*)?no\s*(?:[;(]|$)/i.test(value)) ||
      all("precedence").some((value) => /^\s*(?:bulk|junk|list|auto_reply)\b/i.test(value)) ||
      ["list-id", "x-autoreply", "x-autorespond"].some((key) => first(key) !== undefined),
    /** Topmost first. */
    authentication: all("authentication-results")
      .slice(0, bounds.results)
      .map((value) => readAuthenticationResults(value.slice(0, 8_000))),
    // The first one.
    ...(spf !== undefined && { receivedSpf: spf }),
    // Of a report of deliveries (RFC 3464), one each recipient.
    ...(isReport && { report: readReport(parts) }),
    attachments: parts.slice(0, attachmentsMax).map(({ filename, mimeType, content }) => ({
      name: cleanOneLine(filename ?? "", 200) || nameless(mimeType),
      bytes: content,
      // Tells two mails apart that have no Message-ID.
      ...(messageId === undefined && { sha256: createHash("sha256").update(content).digest("hex") }),
    })),
  };
}

/** Servers write the first four for the address that a mail was delivered to. */
const recipientHeaders = "delivered-to x-original-to envelope-to x-envelope-to to cc bcc resent-to resent-cc".split(
  " ",
);

function recipientsOf(all: (key: string) => string[], delivered: readonly string[]): string[] {
  const written = recipientHeaders.flatMap((key) => all(key).flatMap(addressesIn));
  const found = new Set([...delivered, ...written.map(({ address }) => address)]);
  found.delete("");
  return [...found].slice(0, bounds.recipients);
}

const addressesIn = (value: string) =>
  addressParser(value, { flatten: true }).map(({ address, name }) => sender(address ?? "", name));

const sender = (address: string, name: string) => ({
  address: cleanOneLine(address, 320),
  name: cleanOneLine(name, 200),
});

function identifiersIn(value: string): string[] {
  const bounded = value.slice(0, 64 * 1024);
  const bracketed = Array.from(bounded.matchAll(/<([^<>\s]{1,998})>/g), ([, identifier = ""]) => identifier);
  return bracketed.length > 0 ? bracketed : bounded.split(/\s+/).filter((word) => /^[^<>@]+@[^<>@]+$/.test(word));
}

const nameless = (mimeType: string) => (mimeType === "message/rfc822" ? "message.eml" : "file without a name");
