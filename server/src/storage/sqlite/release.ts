// Makes spam a new submission. Runs inside a transaction of the commit queue.
import type { MailKind, SubmissionKind, TriageStatus } from "../records.ts";
import { isAutomatic, mailsOf } from "../rules/mails.ts";
import type { References } from "../rules/references.ts";
import { receivedEvent } from "../rules/webhooks.ts";
import type { Released } from "../desk-store.ts";
import type { Acceptor } from "./accept.ts";
import type { SqliteConnection } from "./connection.ts";
import type { Announcements } from "./announcements.ts";

export type Release = ReturnType<typeof prepareRelease>;

interface Parts {
  readonly references: References;
  readonly acceptor: Acceptor;
  readonly announcements: Announcements;
}

export function prepareRelease(connection: SqliteConnection, { references, acceptor, announcements }: Parts) {
  interface Row {
    readonly arrival: number;
    readonly status: TriageStatus;
    readonly email_key: string;
  }
  const find = connection.prepare<[number, SubmissionKind], Row>(
    "SELECT arrival, status, email_key FROM submission WHERE day_number = ? AND kind = ?",
  );
  const release = connection.prepare<[number]>(
    "UPDATE submission SET status = 'new', version = version + 1 WHERE arrival = ?",
  );
  const receipted = connection.prepare<[number, number]>("UPDATE submission SET receipt_at = ? WHERE arrival = ?");
  const hasMail = connection.prepare<[number, MailKind], object>(
    "SELECT 1 FROM mail WHERE submission = ? AND kind = ?",
  );
  const insertMail = connection.prepare<[MailKind, number, number]>(`
    INSERT INTO mail (kind, submission, status, created_at, due_at) VALUES (?1, ?2, 'queued', ?3, ?3)`);

  /** Answers whether the mail was stored. */
  function storeMail(kind: MailKind, { arrival, email_key: key }: Row, now: number): boolean {
    if (hasMail.get(arrival, kind) !== undefined) return false;
    if (isAutomatic(kind)) {
      if (!acceptor.mayMail(key, now)) return false;
      receipted.run(now, arrival);
    }
    insertMail.run(kind, arrival, now);
    return true;
  }

  return (reference: string, now: number): Released => {
    const named = references.parse(reference);
    const row = named === null ? undefined : find.get(named.dayNumber, named.kind);
    if (named === null || row === undefined) return { result: "unknown" };
    if (row.status !== "spam") return { result: "not-spam" };
    release.run(row.arrival);
    announcements.ofSubmission(receivedEvent(named.kind), row.arrival, now);
    const mails = mailsOf[named.kind].filter((kind) => storeMail(kind, row, now)).length;
    return { result: "released", mails };
  };
}
