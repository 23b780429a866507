// A mail as nodemailer's composer takes it, for the mailbox and for SMTP; and its files, read from the vault when it is handed over.
import type { MailComposerOptions } from "nodemailer";
import type { Attachment, OutgoingMail, Sender } from "../mailer.ts";
import { messageId } from "../message-id.ts";
import type { MessageKey } from "../../storage/store.ts";
import { readChecked, type Vault } from "../../resumes/vault.ts";

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

/** Makes what gives a mail its files. @throws as `readChecked` */
export const attachFrom =
  (vault: Pick<Vault, "read">) =>
  async (mail: OutgoingMail): Promise<OutgoingMail> => {
    const { detectMimeType } = await import("nodemailer/lib/mime-funcs/mime-types.js");
    const attachments: Attachment[] = [];
    for (const { name, ...file } of mail.content.files ?? []) {
      const type = detectMimeType(name);
      // A mail within a mail would not be encoded, so that its line ends could change.
      const isCoded = /^(?:message|multipart)\//.test(type);
      const bytes = Buffer.concat(await Array.fromAsync(readChecked(vault, file)));
      attachments.push({ name, type: isCoded ? "application/octet-stream" : type, bytes });
    }
    return { ...mail, attachments };
  };
