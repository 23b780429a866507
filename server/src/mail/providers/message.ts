// Writes a mail as an RFC 5322 message, for the mailbox and for SMTP. nodemailer's composer would do it too, at a
// millisecond a mail, and on the way of every answer; here only its encoders are used. It knows nothing of where the
// message goes.
import { encodeWord, foldLines } from "nodemailer/lib/mime-funcs";
import { encode, wrap } from "nodemailer/lib/qp";
import type { OutgoingMail } from "../mailer.ts";
import type { Sender } from "../sender.ts";

/** RFC 5322 2.1.1: a line holds at most 998 characters. */
const lineCharactersMax = 998;
/** RFC 5322 2.1.1: and preferably not more than 78. */
const foldedCharacters = 76;
/** RFC 2047 2: an encoded word holds at most 75 characters; the rest of the line is the header's name. */
const encodedWordCharactersMax = 52;

/** The Message-ID of a mail: the same however often it is sent, so that mail programs can show a repeat once. */
export function messageId(mail: OutgoingMail, from: Sender): string {
  return `<${mail.id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`;
}

/** Writes the message: headers, then the text part and the HTML part as alternatives; CRLF line ends, ASCII only. */
export function writeMessage(mail: OutgoingMail, from: Sender, date: Date): string {
  const { content } = mail;
  const boundary = `=_${mail.id}`;
  const headers: [name: string, value: string][] = [
    ["From", from.name === null ? from.address : `${phrase(from.name)} <${from.address}>`],
    ["To", content.to.join(", ")],
    ...(content.replyTo === null ? [] : [["Reply-To", content.replyTo] satisfies [string, string]]),
    ["Subject", words(content.subject)],
    ["Date", date.toUTCString().replace("GMT", "+0000")],
    ["Message-ID", messageId(mail, from)],
    ...Object.entries(content.headers).map(([name, value]): [string, string] => [name, words(value)]),
    ["X-Submissions-Mail-Id", mail.id],
    ["X-Submissions-Kind", mail.kind],
    ...(mail.reference === null ? [] : [["X-Submissions-Reference", mail.reference] satisfies [string, string]]),
    ["MIME-Version", "1.0"],
    ["Content-Type", `multipart/alternative; boundary="${boundary}"`],
  ];
  return [
    ...headers.map(([name, value]) => header(name, value)),
    "",
    `--${boundary}`,
    ...part("text/plain", content.text),
    `--${boundary}`,
    ...part("text/html", content.html),
    `--${boundary}--`,
    "",
  ].join("\r\n");
}

// A line break in a value would begin another header. Composing has refused it already; this holds for whatever else
// may once stand in the outbox.
function header(name: string, value: string): string {
  const line = `${name}: ${value.replace(/[\r\n\0]+/g, " ")}`;
  return line.length <= foldedCharacters ? line : foldLines(line, foldedCharacters);
}

const isAscii = (text: string) => !/[^\t\n\r\u0020-\u007E]/.test(text);

// Text that already looks like an encoded word is encoded once more: it is shown as it was written, not as it decodes.
const isLiteral = (text: string) => isAscii(text) && !text.includes("=?");

const words = (text: string) =>
  isLiteral(text) ? text : encodeWord(text, encodingFor(text), encodedWordCharactersMax);

// Quoted-printable keeps Latin text readable in the source; for other scripts base64 is shorter.
const encodingFor = (text: string) => (2 * (text.match(/[\u0080-\uFFFF]/g)?.length ?? 0) > text.length ? "B" : "Q");

function phrase(name: string): string {
  return isLiteral(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : words(name);
}

function linesFit(lines: string): boolean {
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf("\r\n", start);
    if ((end < 0 ? lines.length : end) - start > lineCharactersMax) return false;
    if (end < 0) return true;
    start = end + 2;
  }
  return true;
}

// Most mails are ASCII with short lines and go as they are, so that a mailbox can be read and searched with any tool.
function part(type: string, text: string): string[] {
  const lines = text.replace(/\r\n|\r|\n/g, "\r\n");
  const plain = isAscii(lines) && linesFit(lines);
  return [
    `Content-Type: ${type}; charset=utf-8`,
    `Content-Transfer-Encoding: ${plain ? "7bit" : "quoted-printable"}`,
    "",
    plain ? lines : wrap(encode(lines)),
  ];
}
