// Mails as they are handed to the process that sends them, what they are about as columns of their rows, and how the end
// of a try is written.
import type { Digest, LeasedMail, MailKind, MailSettlement, MailSubject } from "../records.ts";
import type { Lease } from "../store.ts";
import { readFields } from "./json-column.ts";
import { mailId } from "./mail-id.ts";
import { storable } from "./mails.ts";
import { readSubmission, submissionColumns, type SubmissionRow } from "./submission-row.ts";
import { readWelcome } from "./subscription.ts";

/** A mail as it was just stored, leased to the process that stored it. */
export const justStored = (
  row: number,
  kind: MailKind,
  about: MailSubject,
  createdAt: number,
  { until }: Lease,
): LeasedMail => ({
  id: mailId(row, createdAt),
  kind,
  about,
  createdAt,
  attempts: 0,
  denials: null,
  leasedUntil: until,
});

/** A mail that is claimed, with the row of what it is about; the other columns of submissions are then null. */
export interface ClaimedMail extends SubmissionRow {
  readonly mail: number;
  readonly mailKind: MailKind;
  readonly createdAt: number;
  readonly attempts: number;
  readonly denials: number | null;
  readonly tokens: string | null;
  readonly digest: string | null;
  /** The address. */
  readonly subscriber: string | null;
}

/** What of it comes from `mail` and from what `mailJoins` adds, but for `denials`. Quoted names keep their case. */
export const claimedColumns = `mail.id AS mail, mail.kind AS "mailKind", mail.created_at AS "createdAt", mail.attempts,
  mail.tokens, mail.digest, subscriber.email AS subscriber,
  ${submissionColumns.map((column) => `submission.${column}`).join(", ")}`;

/** Null when what the mail is about cannot be read. */
export function claimedMail(row: ClaimedMail, leasedUntil: number): LeasedMail | null {
  const { mail, mailKind: kind, createdAt, attempts, denials } = row;
  const about = subjectOf(row);
  return about && { id: mailId(mail, createdAt), kind, about, createdAt, attempts, denials, leasedUntil };
}

function subjectOf(row: ClaimedMail): MailSubject | null {
  if (row.digest !== null) {
    const digest = readDigest(row.digest);
    return digest && { digest };
  }
  if (row.subscriber !== null) {
    const welcome = readWelcome(row.subscriber, row.tokens);
    return welcome && { welcome };
  }
  const submission = readSubmission(row);
  return submission && { submission };
}

/** The columns of a mail that a settlement changes; `tries` are added to its attempts. */
export function settledColumns(settlement: MailSettlement) {
  if (settlement.result === "sent") {
    const provider_id = storable(settlement.providerId);
    const { at: sent_at } = settlement;
    return { status: settlement.result, tries: 1, due_at: null, sent_at, provider_id, last_error: null, denials: null };
  }
  return {
    status: settlement.result === "later" ? "queued" : settlement.result,
    tries: settlement.result === "later" && !settlement.tried ? 0 : 1,
    due_at: settlement.result === "later" ? settlement.dueAt : null,
    sent_at: null,
    provider_id: null,
    last_error: storable(settlement.error),
    denials: settlement.denials,
  } as const;
}

/** Null when it cannot be read: another version may have written it. */
function readDigest(json: string): Digest | null {
  const { day, inquiry, application, mails, longest } = readFields(json) as Partial<Digest>;
  if (typeof day !== "string" || inquiry === undefined || application === undefined) return null;
  return mails === undefined || !Array.isArray(longest) ? null : { day, inquiry, application, mails, longest };
}
