// The files of a mail, read from the vault when it is handed over.
import { readChecked, type Vault } from "../../resumes/vault.ts";
import type { Attachment, OutgoingMail } from "../mailer.ts";

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
