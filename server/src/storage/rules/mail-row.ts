// Mails as operators see them, and how the end of a try is written.
import type { MailRow } from "@submissions/shared/console";
import type { MailSettlement, StoredMail } from "../records.ts";
import { mailId } from "./mail-id.ts";
import { storable } from "./mails.ts";

const address = "coalesce(submission.email, subscriber.email)";

/** Quoted names keep their case on both engines. */
const columnsWith = (email: string) => `mail.id AS "row", mail.kind, submission.reference, ${email} AS email,
  mail.status, mail.attempts, mail.created_at AS "createdAt", mail.due_at AS "dueAt", mail.sent_at AS "sentAt"`;
const lastError = `mail.last_error AS "lastError"`;

/** A mail of the console, to be read from {@link mailJoins}: a notice names no address. */
export const mailColumns = `${columnsWith(`CASE WHEN mail.kind NOT LIKE '%-notice' THEN ${address} END`)}, ${lastError}`;

/** A mail of the command line, to be read from {@link mailJoins}. */
export const storedMailColumns = `${columnsWith(address)}, mail.provider_id AS "providerId", ${lastError}`;

export const mailJoins = `LEFT JOIN submission ON submission.arrival = mail.submission
  LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber`;

/** A mail as it is read. */
export type ReadMail<Mail = MailRow> = Omit<Mail, "id"> & { readonly row: number };

export const mailRow = ({ row, ...mail }: ReadMail): MailRow => ({ id: mailId(row, mail.createdAt), ...mail });

export const storedMail = ({ row, ...mail }: ReadMail<StoredMail>): StoredMail => ({
  id: mailId(row, mail.createdAt),
  ...mail,
});

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
