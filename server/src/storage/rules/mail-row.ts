// Mails as operators see them.
import type { MailRow } from "@submissions/shared/console";
import type { StoredMail } from "../records.ts";
import { mailId } from "./mail-id.ts";

/** To be read from {@link mailJoins}. Quoted names keep their case on both engines. */
export const mailColumns = `mail.id AS "row", mail.kind, submission.reference,
  coalesce(submission.email, subscriber.email) AS email, mail.status, mail.attempts, mail.created_at AS "createdAt",
  mail.due_at AS "dueAt", mail.sent_at AS "sentAt", mail.provider_id AS "providerId", mail.last_error AS "lastError"`;

export const mailJoins = `LEFT JOIN submission ON submission.arrival = mail.submission
  LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber`;

export type ReadMail = Omit<StoredMail, "id"> & { readonly row: number };

/** A mail of the command line. */
export const storedMail = ({ row, ...mail }: ReadMail): StoredMail => ({ id: mailId(row, mail.createdAt), ...mail });

/** A mail of the console: a notice names no address. */
export function mailRow(read: ReadMail): MailRow {
  const { providerId: _, ...mail } = storedMail(read);
  return { ...mail, email: mail.kind.endsWith("-notice") ? null : mail.email };
}
