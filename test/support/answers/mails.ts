// Mails that come in, as mail programs write them, and as Postmark hands them over.
import { randomUUID } from "node:crypto";
import type { Service } from "../service.ts";

const authservId = "mx.desk.example";
const inboundAuth = `postmark:${"p".repeat(24)}`;

export const inboundEnv = {
  INBOUND_ADDRESS: "answers@desk.example",
  INBOUND_WEBHOOK_AUTH: inboundAuth,
  INBOUND_AUTHSERV_ID: authservId,
};

export interface WrittenMail {
  readonly from?: string;
  readonly to: string;
  readonly text?: string;
  readonly subject?: string;
  /** With brackets; null: none. */
  readonly messageId?: string | null;
  /** Above the others, in their order. */
  readonly headers?: readonly string[];
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** The whole body in place of text and files, with its header of the content type. */
  readonly body?: string;
}

/** The header of our mail server, by which a mail of this domain is authentic. */
export const passes = (host: string): string => `Authentication-Results: ${authservId}; dmarc=pass header.from=${host}`;

const crlf = (lines: readonly string[]) => lines.join("\r\n");

export function rawMail({ from = "Ann Buyer <ann@example.org>", to, ...mail }: WrittenMail): string {
  const { text = "Thank you!", subject = "Re: your receipt", messageId = `<${randomUUID()}@example.org>` } = mail;
  const { headers = [passes("example.org")], files = [], body } = mail;
  const head = [
    ...headers,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    "Date: Sat, 21 Nov 2026 10:00:00 +0000",
    ...(messageId === null ? [] : [`Message-ID: ${messageId}`]),
    "MIME-Version: 1.0",
  ];
  if (body !== undefined) return crlf([...head, body]);
  const plain = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "", text];
  if (files.length === 0) return crlf([...head, ...plain]);
  const parts = files.flatMap(({ name, bytes }) => [
    "--part",
    `Content-Type: application/octet-stream; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(bytes).toString("base64").replaceAll(/.{76}/g, "$&\r\n"),
  ]);
  return crlf([
    ...head,
    'Content-Type: multipart/mixed; boundary="part"',
    "",
    "--part",
    ...plain,
    ...parts,
    "--part--",
    "",
  ]);
}

/** As Postmark does, with the whole mail in `RawEmail`. */
export const handOver = (
  { url }: Pick<Service, "url">,
  raw: string,
  { auth = inboundAuth, recipient = "" }: { readonly auth?: string; readonly recipient?: string } = {},
): Promise<Response> =>
  fetch(`${url}/webhooks/postmark/inbound`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from(auth).toString("base64")}`,
    },
    body: JSON.stringify({
      FromFull: { Email: "", Name: "" },
      ToFull: [],
      CcFull: [],
      OriginalRecipient: recipient,
      Subject: "",
      TextBody: "",
      HtmlBody: "",
      Headers: [],
      Attachments: [],
      RawEmail: raw,
    }),
  });

/** What became of a mail. */
export async function resultOf(service: Pick<Service, "url">, mail: WrittenMail): Promise<string> {
  const response = await handOver(service, rawMail(mail));
  const body = (await response.json()) as { readonly result?: string; readonly message?: string };
  return body.result ?? `${response.status} ${body.message}`;
}

/** A report of a mail that was not delivered (RFC 3464). */
export const reportBody = (
  status: string,
  originalMessageId: string,
  recipient = "ann@example.org",
  action = status.startsWith("5") ? "failed" : "delayed",
): string =>
  crlf([
    'Content-Type: multipart/report; report-type=delivery-status; boundary="report"',
    "",
    "--report",
    "Content-Type: text/plain",
    "",
    "Your mail could not be delivered.",
    "--report",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.example.org",
    "",
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    "",
    "--report",
    "Content-Type: message/rfc822",
    "",
    `Message-ID: ${originalMessageId}`,
    "Subject: We received your inquiry",
    "",
    "Hello",
    "--report--",
    "",
  ]);
