// A mail as nodemailer's composer takes it, for the mailbox and for SMTP.
import type { MailComposerOptions } from "nodemailer";
import type { OutgoingMail, Sender } from "../mailer.ts";
import { messageId } from "../message-id.ts";
import type { MessageKey } from "../../storage/store.ts";

/** Addresses are given as such, so that the composer looks for none in them. */
export function mimeFields(mail: OutgoingMail, from: Sender, key: MessageKey) {
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
    attachments: (mail.attachments ?? []).map(({ name, type, bytes }) => ({
      filename: name,
      contentType: type,
      content: bytes,
      contentTransferEncoding: "base64" as const,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies MailComposerOptions;
}
