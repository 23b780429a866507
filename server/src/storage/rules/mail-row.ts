// Mails as operators see them, and how the end of a try is written.
import type { MailRow } from "@submissions/shared/console";
import type { MailSettlement, StoredMail } from "../records.ts";
import { mailId } from "./mail-id.ts";
import { storable } from "./mails.ts";

/** To be read from {@link mailJoins}. Quoted names keep their case on both engines. */
export const mailColumns = `mail.id AS "row", mail.kind, submission.reference,
  coalesce(submission.email, subscriber.email) AS email, mail.status, mail.attempts, mail.created_at AS "createdAt",
  mail.due_at AS "dueAt", mail.sent_at AS "sentAt", mail.provider_id AS "providerId", mail.last_error AS "lastError"`;

export const mailJoins = `LEFT JOIN submission ON submission.arrival = mail.submission
  LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber`;

/** A mail as it is read. */
export type ReadMail = Omit<StoredMail, "id"> & { readonly row: number };

/** A mail of the command line. */
export const storedMail = ({ row, ...mail }: ReadMail): StoredMail => ({ id: mailId(row, mail.createdAt), ...mail });

/** A mail of the console: a notice names no address. */
export function mailRow(read: ReadMail): MailRow {
  const { providerId: _, ...mail } = storedMail(read);
  return { ...mail, email: mail.kind.endsWith("-notice") ? null : mail.email };
}

/** The columns of a mail that a settlement changes; `tries` are added to its attempts. */
export function settledColumns(settlement: MailSettlement) {
  const none = { tries: 1, due_at: null, sent_at: null, provider_id: null, last_error: null, denials: null };
  if (settlement.result === "sent") {
    const provider_id = storable(settlement.providerId);
    return { ...none, status: settlement.result, sent_at: settlement.at, provider_id };
  }
  const { denials } = settlement;
  const stopped = { ...none, last_error: storable(settlement.error), denials };
  if (settlement.result !== "later") return { ...stopped, status: settlement.result };
  return { ...stopped, status: "queued" as const, due_at: settlement.dueAt, tries: settlement.tried ? 1 : 0 };
}
