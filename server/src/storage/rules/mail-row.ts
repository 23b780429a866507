// Mails as operators see them.
import type { MailRow } from "@submissions/shared/console";
import { mailId } from "./mail-id.ts";

/** A mail as it is read; the columns are those of {@link mailColumns}. */
export interface ReadMail extends Omit<MailRow, "id"> {
  readonly row: number;
}

/** To be read from {@link mailJoins}. Quoted names keep their case on both engines. */
export const mailColumns = `mail.id AS "row", mail.kind, submission.reference,
  CASE WHEN mail.kind NOT LIKE '%-notice' THEN coalesce(submission.email, subscriber.email) END AS email,
  mail.status, mail.attempts, mail.created_at AS "createdAt", mail.due_at AS "dueAt", mail.sent_at AS "sentAt",
  mail.last_error AS "lastError"`;

export const mailJoins = `LEFT JOIN submission ON submission.arrival = mail.submission
  LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber`;

export const mailRow = ({ row, ...mail }: ReadMail): MailRow => ({ id: mailId(row, mail.createdAt), ...mail });
