// Mails as operators see them.
import type { StoredMail } from "../records.ts";
import { mailId } from "./mail-id.ts";

/** To be read from {@link mailJoins}. Quoted names keep their case on both engines. */
export const mailColumns = `mail.id AS "row", mail.kind, submission.reference, mail.reply,
  coalesce(submission.email, subscriber.email) AS email, mail.status, mail.attempts, mail.created_at AS "createdAt",
  mail.due_at AS "dueAt", CASE mail.status WHEN 'sent' THEN mail.ended_at END AS "sentAt",
  CASE mail.status WHEN 'sent' THEN mail.last_answer END AS "providerId",
  CASE mail.status WHEN 'sent' THEN NULL ELSE mail.last_answer END AS "lastError"`;

export const mailJoins = `LEFT JOIN submission ON submission.arrival = mail.submission
  LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber`;

export type ReadMail = Omit<StoredMail, "id"> & { readonly row: number };

export const storedMail = ({ row, ...mail }: ReadMail): StoredMail => ({ id: mailId(row, mail.createdAt), ...mail });
