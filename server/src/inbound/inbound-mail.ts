// What is known of a mail that came in, from its headers, texts and parts.
import { hash } from "node:crypto";
import { addressParser, decodeWords } from "postal-mime";
import { readAuthenticationResults, readReceivedSpf } from "./authentication.ts";
import { otherText, type Part } from "./other-text.ts";
import { readReport } from "./report.ts";
import { withoutQuotes } from "./quotes.ts";
import { cleanOneLine, visibleText, type Written } from "./visible-text.ts";

export type InboundMail = ReturnType<typeof assemble>;

export const unreadable = "(The text of this mail could not be read.)";

export const recipientsMax = 1_200;
export const attachmentsMax = 100;
const bounds = { identifiers: 100, senders: 20, results: 20 };

export type Source = Written & {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly parts: readonly Part[];
  /** The charset of its texts; absent: the mail names none, or UTF-8. */
  readonly charset?: string;
};

export function assemble({ headers, parts, charset, ...written }: Source, delivered: readonly string[]) {
  const own = visibleText(written);
  const other = own.text === "" ? otherText(parts, charset) : undefined;
  const visible = other ? visibleText({ text: other.text, html: undefined, flow: "fixed" }) : own;
  const all = (key: string) => headers.filter((each) => each.key === key).map(({ value }) => value);
  const first = (key: string) => all(key)[0];
  const identifiers = (key: string) => identifiersIn(all(key).join(" ")).slice(-bounds.identifiers);
  const [messageId] = identifiers("message-id");
  const date = new Date(first("date") ?? "");
  const returnPath = first("return-path");
  const hasNoSender = returnPath !== undefined && /^\s*(?:<\s*>)?\s*$/.test(returnPath);
  // OpenSMTPD calls its reports multipart/mixed.
  const isReport =
    /^\s*multipart\/report\b/i.test(first("content-type") ?? "") ||
    (hasNoSender && parts.some(({ mimeType }) => mimeType === "message/delivery-status"));
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
      hasNoSender ||
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
    ...(isReport && { report: readReport(parts, own.text) }),
    attachments: parts
      .filter((part) => part !== other?.part)
      .slice(0, attachmentsMax)
      .map(({ filename, mimeType, content }) => ({
        name: cleanOneLine(filename ?? "", 200) || nameless(mimeType),
        bytes: content,
        // Tells two mails apart that have no Message-ID.
        ...(messageId === undefined && { sha256: hash("sha256", content) }),
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
  return [...found].slice(0, recipientsMax);
}

const addressesIn = (value: string) =>
  addressParser(value, { flatten: true }).map(({ address, name }) => sender(address ?? "", name));

export const sender = (address: string, name: string) => ({
  address: cleanOneLine(address, 320),
  name: cleanOneLine(name, 200),
});

function identifiersIn(value: string): string[] {
  const bounded = value.slice(0, 64 * 1024);
  const bracketed = Array.from(bounded.matchAll(/<([^<>\s]{1,998})>/g), ([, identifier = ""]) => identifier);
  return bracketed.length > 0 ? bracketed : bounded.split(/\s+/).filter((word) => /^[^<>@]+@[^<>@]+$/.test(word));
}

const nameless = (mimeType: string) => names.get(mimeType) ?? "file without a name";
const names = new Map([
  ["message/rfc822", "message.eml"],
  ["text/calendar", "invitation.ics"],
]);
