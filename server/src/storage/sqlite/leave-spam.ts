// Does for a submission that leaves spam what was not done when it was stored: its mails and its announcement. Runs inside
// a transaction of the commit queue.
import type { MailKind, SubmissionKind } from "../records.ts";
import { quoted } from "../rules/inbox-filter.ts";
import { isAutomatic, mailsOf } from "../rules/mails.ts";
import { statusActions } from "../rules/triage.ts";
import { receivedEvent } from "../rules/webhooks.ts";
import type { Acceptor } from "./accept.ts";
import type { SqliteConnection } from "./connection.ts";
import type { Announcements } from "./announcements.ts";

/** A submission that was spam until this transaction. */
interface FormerSpam {
  readonly arrival: number;
  readonly reference: string;
  readonly kind: SubmissionKind;
  readonly emailKey: string;
}

/** To be called before the change is in the audit log. Answers how many mails were stored. */
export type LeaveSpam = (submission: FormerSpam, now: number) => number;

export function prepareLeaveSpam(
  connection: SqliteConnection,
  acceptor: Acceptor,
  announcements: Announcements,
): LeaveSpam {
  const receipted = connection.prepare<[number, number]>("UPDATE submission SET receipt_at = ? WHERE arrival = ?");
  const earlierChange = connection.prepare<[string], object>(
    `SELECT 1 FROM audit WHERE subject = ? AND action IN (${quoted(statusActions)}) LIMIT 1`,
  );
  const hasMail = connection.prepare<[number, MailKind], object>(
    "SELECT 1 FROM mail WHERE submission = ? AND kind = ?",
  );
  const insertMail = connection.prepare<[MailKind, number, number]>(`
    INSERT INTO mail (kind, submission, status, created_at, due_at) VALUES (?1, ?2, 'queued', ?3, ?3)`);

  /** Answers whether the mail was stored. */
  function storeMail(kind: MailKind, { arrival, emailKey }: FormerSpam, now: number): boolean {
    if (hasMail.get(arrival, kind) !== undefined) return false;
    if (isAutomatic(kind)) {
      if (!acceptor.mayMail(emailKey, now)) return false;
      receipted.run(now, arrival);
    }
    insertMail.run(kind, arrival, now);
    return true;
  }

  return (submission, now) => {
    const { arrival, kind, reference } = submission;
    announcements.ofSubmission(receivedEvent(kind), arrival, now);
    // It was no spam at some time before, and had its mails then. They may be forgotten by now.
    if (earlierChange.get(reference) !== undefined) return 0;
    return mailsOf[kind].filter((mail) => storeMail(mail, submission, now)).length;
  };
}
