// A mail as nodemailer's composer takes it, for the mailbox and for SMTP, and its Message-ID.
import { hash } from "node:crypto";
import type { MailComposerOptions } from "nodemailer";
import type { OutgoingMail, Sender } from "../mailer.ts";

/** Addresses are given as such, so that the composer looks for none in them. */
export function mimeFields(mail: OutgoingMail, from: Sender, key: string) {
  const { fromName = from.name ?? "", to, replyTo, subject, text, html, headers } = mail.content;
  const bare = (address: string) => ({ name: "", address });
  return {
    from: { name: fromName, address: from.address },
    to: to.map(bare),
    ...(replyTo.length === 0 ? {} : { replyTo: replyTo.map(bare) }),
    subject,
    text,
    html,
    messageId: messageId(mail, from, key),
    date: new Date(),
    headers: {
      ...headers,
      "X-Submissions-Kind": mail.kind,
      ...(mail.requestId === null ? {} : { "X-Submissions-Request-Id": mail.requestId }),
      ...(mail.reference === null ? {} : { "X-Submissions-Reference": mail.reference }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies MailComposerOptions;
}

/**
 * The Message-ID of a mail: the same however often it is sent. That of a receipt is made of the reference, so that a reply
 * can name it later. Ids of mails count them, and strangers must not learn the volume: without the key of the store the hash
 * says nothing. It is cut to half, because a whole SHA-256 could be continued to that of a longer text without the key.
 */
export function messageId(
  { id, kind, reference }: Pick<OutgoingMail, "id" | "kind" | "reference">,
  { address }: Sender,
  key: string,
): string {
  const named = kind.endsWith("-receipt") && reference !== null ? reference : id;
  const local = hash("sha256", `${key} ${named}`).slice(0, 32);
  return `<${local}@${address.slice(address.lastIndexOf("@") + 1)}>`;
}
