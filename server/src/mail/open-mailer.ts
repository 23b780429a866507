// Opens the mailer that the configuration names. Only that one is loaded.
import type { Mailer, Sender } from "./mailer.ts";
import type { PostmarkSettings } from "./providers/postmark-call.ts";

export type MailTransport =
  /** `.eml` files in a folder of this machine. */
  | { readonly kind: "mailbox"; readonly folder: string }
  | ({ readonly kind: "postmark" } & PostmarkSettings)
  /** `smtp://` or `smtps://`, with user and password if the server wants them; never logged. */
  | { readonly kind: "smtp"; readonly url: string };

/** Makes no connection; only the mailbox creates its folder, and rejects when it cannot. @param key see `messageId` */
export async function openMailer(transport: MailTransport, from: Sender, key: string): Promise<Mailer> {
  if (transport.kind === "mailbox") {
    const { openMailboxMailer } = await import("./providers/mailbox.ts");
    return openMailboxMailer(transport.folder, from, key);
  }
  if (transport.kind === "postmark") {
    const { openPostmarkMailer } = await import("./providers/postmark.ts");
    return openPostmarkMailer(transport, from, key);
  }
  const { openSmtpMailer } = await import("./providers/smtp.ts");
  return openSmtpMailer(transport.url, from, key);
}

/** What erases mails to an address that lie on this machine: those of the mailbox. */
export const mailEraser = (transport: MailTransport): ((email: string) => Promise<void>) =>
  transport.kind === "mailbox"
    ? async (email) => (await import("./providers/mailbox.ts")).eraseFromMailbox(transport.folder, email)
    : async () => {};
