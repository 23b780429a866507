// What operators change, each in a job of the commit queue with its entry in the audit log.
import type { TriageOutcome, TriageRequest } from "@submissions/shared/console";
import type { Actor, AuditEntry, DeskStore, Scope } from "../desk-store.ts";
import type { MailKind, MailStatus, SubmissionKind, TriageStatus } from "../records.ts";
import { detailOf } from "../rules/audit.ts";
import { hashedKey } from "../rules/erasing.ts";
import { mailKindsOf, quoted } from "../rules/inbox-filter.ts";
import { parseMailId } from "../rules/mail-id.ts";
import { isAutomatic, mailsOf } from "../rules/mails.ts";
import type { References } from "../rules/references.ts";
import {
  changingActions,
  conflict,
  decideTriage,
  inBatches,
  leavesSpam,
  released,
  statusActions,
  type Triaged,
  type TriageTarget,
} from "../rules/triage.ts";
import { receivedEvent } from "../rules/webhooks.ts";
import type { Acceptor } from "./accept.ts";
import type { Announcements } from "./announcements.ts";
import type { SqliteConnection } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

export function prepareAudit(connection: SqliteConnection) {
  const insert = connection.prepare<[number, string, string, string, string]>(
    "INSERT INTO audit (at, operator, action, subject, detail) VALUES (?, ?, ?, ?, ?)",
  );
  return (entry: AuditEntry, { operator, at }: Actor) =>
    void insert.run(at, operator, entry.action, entry.subject, detailOf(entry));
}

export function prepareDeskChanges(
  connection: SqliteConnection,
  run: RunJob,
  references: References,
  { mayMail }: Acceptor,
  announcements: Announcements,
) {
  interface Row extends Triaged {
    readonly arrival: number;
    readonly kind: SubmissionKind;
    readonly emailKey: string;
  }
  const audit = prepareAudit(connection);
  const find = connection.prepare<[number, SubmissionKind], Row>(`
    SELECT arrival, reference, kind, email_key AS emailKey, status, assignee, version, responded_at AS respondedAt
    FROM submission
    WHERE day_number = ? AND kind = ?`);
  const update = connection.prepare<[TriageStatus, string | null, number, number | null, number]>(
    "UPDATE submission SET status = ?, assignee = ?, version = ?, responded_at = ? WHERE arrival = ?",
  );
  const lastChange = connection.prepare<[string], Actor>(`
    SELECT operator, at FROM audit WHERE subject = ? AND action IN (${quoted(changingActions)}) ORDER BY id DESC LIMIT 1`);
  const insertNote = connection.prepare<[number, string, number, string]>(
    "INSERT INTO note (submission, author, at, text) VALUES (?, ?, ?, ?)",
  );
  const findMail = connection.prepare<
    [number, number],
    { kind: MailKind; status: MailStatus; submission: number | null; reference: string | null; key: string | null }
  >(`
    SELECT mail.kind, mail.status, mail.submission, submission.reference, submission.email_key AS key
    FROM mail LEFT JOIN submission ON submission.arrival = mail.submission WHERE mail.id = ? AND mail.created_at = ?`);
  const wakeMail = connection.prepare<[number, number]>(
    "UPDATE mail SET status = 'queued', due_at = ?, attempts = 0 WHERE id = ?",
  );
  const isSuppressed = connection.prepare<[string, string], object>(
    "SELECT 1 FROM suppression WHERE email_key IN (?, ?) AND reason IS NOT NULL",
  );
  const insertMail = connection.prepare<[MailKind, number, number]>(
    "INSERT INTO mail (kind, submission, status, created_at, due_at) VALUES (?1, ?2, 'queued', ?3, ?3)",
  );
  const receipted = connection.prepare<[number, number]>("UPDATE submission SET receipt_at = ? WHERE arrival = ?");
  const earlierChange = connection.prepare<[string], object>(
    `SELECT 1 FROM audit WHERE subject = ? AND action IN (${quoted(statusActions)}) LIMIT 1`,
  );
  const hasMail = connection.prepare<[number, MailKind], object>(
    "SELECT 1 FROM mail WHERE submission = ? AND kind = ?",
  );

  function findRow({ kinds }: Scope, reference: string): Row | undefined {
    const named = references.parse(reference);
    return named === null || !kinds.includes(named.kind) ? undefined : find.get(named.dayNumber, named.kind);
  }

  const write = ({ arrival }: Row, { status, assignee, version, respondedAt }: Triaged) =>
    void update.run(status, assignee, version, respondedAt, arrival);

  /**
   * Does for a submission that leaves spam what was not done when it was stored: its mails and its announcement. To be
   * called before the change is in the audit log. Answers how many mails were stored.
   */
  function leaveSpam({ arrival, kind, reference, emailKey }: Row, now: number): number {
    announcements.ofSubmission(receivedEvent(kind), arrival, now);
    // It was no spam at some time before, and had its mails then. They may be forgotten by now.
    if (earlierChange.get(reference) !== undefined) return 0;
    let stored = 0;
    for (const mail of mailsOf[kind]) {
      if (hasMail.get(arrival, mail) !== undefined) continue;
      if (isAutomatic(mail)) {
        if (!mayMail(emailKey, now)) continue;
        receipted.run(now, arrival);
      }
      insertMail.run(mail, arrival, now);
      stored += 1;
    }
    return stored;
  }

  function triageOne(scope: Scope, target: TriageTarget, request: TriageRequest, actor: Actor): TriageOutcome {
    const { reference } = target;
    const row = findRow(scope, reference);
    if (row === undefined) return { reference, result: "unknown" };
    const decision = decideTriage(row, target.version, request, actor);
    if (decision === null) return conflict(row, lastChange.get(row.reference));
    const { after, entries } = decision;
    if (entries.length > 0) write(row, after);
    if (leavesSpam(row, after)) leaveSpam(row, actor.at);
    for (const entry of entries) audit(entry, actor);
    return { reference, result: "changed", version: after.version };
  }

  return {
    triage: (scope, request, actor) =>
      inBatches(request.targets, (targets) =>
        run(() => targets.map((target) => triageOne(scope, target, request, actor))),
      ),

    addNote: (scope, reference, text, actor) =>
      run(() => {
        const row = findRow(scope, reference);
        if (row === undefined) return null;
        const { lastInsertRowid } = insertNote.run(row.arrival, actor.operator, actor.at, text);
        const id = Number(lastInsertRowid);
        audit({ action: "note", subject: row.reference, detail: { note: id } }, actor);
        return { id, author: actor.operator, at: actor.at, text };
      }),

    release: (scope, reference, actor) =>
      run(() => {
        const row = findRow(scope, reference);
        if (row === undefined) return { result: "unknown" };
        if (row.status !== "spam") return { result: "not-spam" };
        write(row, released(row));
        const mails = leaveSpam(row, actor.at);
        audit({ action: "release", subject: row.reference, detail: { mails } }, actor);
        return { result: "released", mails };
      }),

    sendAgain: (scope, id, actor) =>
      run(() => {
        const named = parseMailId(id);
        if (named === null) return null;
        const mail = findMail.get(named.row, named.createdAt);
        if (mail === undefined || !mailKindsOf(scope).includes(mail.kind)) return null;
        const { kind, status, submission, reference, key } = mail;
        if (status === "queued") return "queued";
        if (status !== "sent") wakeMail.run(actor.at, named.row);
        else if (submission === null || key === null) return "not-sendable";
        else if (isAutomatic(kind) && isSuppressed.get(key, hashedKey(key)) !== undefined) return "not-sendable";
        else insertMail.run(kind, submission, actor.at);
        audit({ action: "mail.again", subject: reference ?? "newsletter", detail: { mail: kind, was: status } }, actor);
        return "due";
      }),
  } satisfies Partial<DeskStore>;
}
