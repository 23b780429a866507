// A mail as nodemailer's composer takes it, for the mailbox and for SMTP.
import { createHmac } from "node:crypto";
import type { MailComposerOptions } from "nodemailer";
import type { OutgoingMail, Sender } from "../mailer.ts";

/**
 * The Message-ID of a mail: the same however often it is sent, so that mail programs can show a repeat once. Ids of mails
 * count them, and receipts go to strangers, who must not learn the volume: without the key it says nothing of the id.
 */
export const messageId = ({ id }: Pick<OutgoingMail, "id">, from: Sender, key: string): string => {
  const local = createHmac("sha256", key).update(id).digest("hex").slice(0, 32);
  return `<${local}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`;
};

/** The fields of the message. Addresses are given as such, so that the composer looks for none in them. */
export function mimeFields(mail: OutgoingMail, from: Sender, key: string) {
  const { to, replyTo, subject, text, html, headers } = mail.content;
  const bare = (address: string) => ({ name: "", address });
  return {
    from: { name: from.name ?? "", address: from.address },
    to: to.map(bare),
    ...(replyTo === null ? {} : { replyTo: bare(replyTo) }),
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
