// What operators change, each in a transaction with its entry in the audit log.
import type { TriageOutcome, TriageRequest } from "@submissions/shared/console";
import { type Actor, type AuditEntry, type DeskStore, type Scope } from "../desk-store.ts";
import type { MailKind, MailStatus } from "../records.ts";
import { detailOf } from "../rules/audit.ts";
import { mailKindsOf, quoted } from "../rules/inbox-filter.ts";
import { parseMailId } from "../rules/mail-id.ts";
import { isAutomatic } from "../rules/mails.ts";
import type { References } from "../rules/references.ts";
import {
  changingActions,
  conflict,
  decideTriage,
  inBatches,
  leavesSpam,
  released,
  type Triaged,
  type TriageTarget,
} from "../rules/triage.ts";
import type { Connections } from "./connections.ts";
import { leaveSpamWithin } from "./leave-spam.ts";
import type { Session } from "./session.ts";
import { prepared, rowsAs, type RowOf, valuesOf } from "./statement.ts";
import { suppressedInSql } from "./suppression.ts";

const auditColumns = { at: "bigint", operator: "text", action: "text", subject: "text", detail: "text" } as const;

const insertAudit = prepared(
  `INSERT INTO audit (at, operator, action, subject, detail) SELECT * FROM ${rowsAs("entry", auditColumns)}`,
);

/** Adds entries to the audit log, within the transaction of what they tell. */
export async function auditWithin(
  session: Session,
  entries: readonly AuditEntry[],
  { operator, at }: Actor,
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({ ...entry, at, operator, detail: detailOf(entry) }));
  await session.run(insertAudit, valuesOf(auditColumns, rows));
}

interface Row extends Triaged {
  readonly arrival: number;
}

// In the order of their arrival, so that transactions cannot deadlock.
const lockRows = prepared<Row>(`
  SELECT arrival, reference, status, assignee, version, responded_at AS "respondedAt" FROM submission
  WHERE arrival = ANY (ARRAY (
    SELECT arrival FROM unnest($1::bigint[], $2::text[]) AS wanted (day_number, kind) JOIN submission USING (day_number, kind)
  )) ORDER BY arrival FOR UPDATE`);

const changedColumns = {
  arrival: "bigint",
  status: "text",
  assignee: "text",
  version: "integer",
  responded_at: "bigint",
} as const;

const changeOf = (arrival: number, { respondedAt, ...after }: Triaged): RowOf<typeof changedColumns> => ({
  ...after,
  arrival,
  responded_at: respondedAt,
});

const update = prepared(`
  UPDATE submission SET status = changed.status, assignee = changed.assignee, version = changed.version,
    responded_at = changed.responded_at
  FROM ${rowsAs("changed", changedColumns)} WHERE submission.arrival = changed.arrival`);

const lastChange = prepared<Actor>(
  `SELECT operator, at FROM audit WHERE subject = $1 AND action IN (${quoted(changingActions)}) ORDER BY id DESC LIMIT 1`,
);

const insertNote = prepared<{ id: number }>(
  "INSERT INTO note (submission, author, at, text) VALUES ($1, $2, $3, $4) RETURNING id",
);

const lockMail = prepared<{
  kind: MailKind;
  status: MailStatus;
  submission: number | null;
  reference: string | null;
  suppressed: boolean;
}>(`
  SELECT mail.kind, mail.status, mail.submission, submission.reference,
    ${suppressedInSql("submission.email_key")} AS suppressed
  FROM mail LEFT JOIN submission ON submission.arrival = mail.submission
  WHERE mail.id = $1 AND mail.created_at = $2 FOR UPDATE OF mail`);

const wakeMail = prepared("UPDATE mail SET status = 'queued', due_at = $2, attempts = 0 WHERE id = $1");

// The submission is locked, so that no other transaction erases it without this mail.
const insertMail = prepared(`
  INSERT INTO mail (kind, submission, status, created_at, due_at)
  SELECT $1::text, arrival, 'queued', $3::bigint, $3 FROM submission WHERE arrival = $2 FOR KEY SHARE`);

export function makeDeskChanges(connections: Connections, references: References) {
  /** The rows of some references that the scope holds, locked until the end of the transaction. */
  async function lock(session: Session, { kinds }: Scope, names: readonly string[]): Promise<Map<string, Row>> {
    const named = names.flatMap((reference) => {
      const one = references.parse(reference);
      return one !== null && kinds.includes(one.kind) ? one : [];
    });
    const rows = await session.all(lockRows, [named.map(({ dayNumber }) => dayNumber), named.map(({ kind }) => kind)]);
    return new Map(rows.map((row) => [row.reference, row]));
  }

  const triageBatch = (scope: Scope, targets: readonly TriageTarget[], request: TriageRequest, actor: Actor) =>
    connections.transaction(async (session) => {
      const names = targets.map(({ reference }) => reference);
      const rows = await lock(session, scope, names);
      const outcomes: TriageOutcome[] = [];
      const changes: RowOf<typeof changedColumns>[] = [];
      const leaving: number[] = [];
      const entries: AuditEntry[] = [];
      for (const { reference, version } of targets) {
        const row = rows.get(reference);
        const decision = row === undefined ? null : decideTriage(row, version, request, actor);
        if (row === undefined) outcomes.push({ reference, result: "unknown" });
        else if (decision === null) outcomes.push(conflict(row, (await session.all(lastChange, [reference]))[0]));
        else {
          const { after } = decision;
          const { arrival } = row;
          outcomes.push({ reference, result: "changed", version: after.version });
          entries.push(...decision.entries);
          if (decision.entries.length > 0) changes.push(changeOf(arrival, after));
          if (leavesSpam(row, after)) leaving.push(arrival);
          // A target that is named twice is in conflict the second time.
          rows.set(reference, { ...after, arrival });
        }
      }
      if (changes.length > 0) await session.run(update, valuesOf(changedColumns, changes));
      await leaveSpamWithin(session, leaving, actor.at);
      await auditWithin(session, entries, actor);
      return outcomes;
    });

  return {
    triage: (scope, request, actor) =>
      inBatches(request.targets, (targets) => triageBatch(scope, targets, request, actor)),

    addNote: (scope, reference, text, actor) =>
      connections.transaction(async (session) => {
        const row = (await lock(session, scope, [reference])).get(reference);
        if (row === undefined) return null;
        const [note] = await session.all(insertNote, [row.arrival, actor.operator, actor.at, text]);
        if (note === undefined) throw new Error("The note was not stored.");
        await auditWithin(session, [{ action: "note", subject: reference, detail: { note: note.id } }], actor);
        return { id: note.id, author: actor.operator, at: actor.at, text };
      }),

    release: (scope, reference, actor) =>
      connections.transaction(async (session) => {
        const row = (await lock(session, scope, [reference])).get(reference);
        if (row === undefined) return { result: "unknown" };
        if (row.status !== "spam") return { result: "not-spam" };
        await session.run(update, valuesOf(changedColumns, [changeOf(row.arrival, released(row))]));
        const mails = await leaveSpamWithin(session, [row.arrival], actor.at);
        await auditWithin(session, [{ action: "release", subject: reference, detail: { mails } }], actor);
        return { result: "released", mails };
      }),

    async sendAgain(scope, id, actor) {
      const named = parseMailId(id);
      if (named === null) return null;
      return connections.transaction(async (session) => {
        const [mail] = await session.all(lockMail, [named.row, named.createdAt]);
        if (mail === undefined || !mailKindsOf(scope).includes(mail.kind)) return null;
        const { kind, status, submission, reference, suppressed } = mail;
        if (status === "queued") return "queued";
        if (status !== "sent") await session.run(wakeMail, [named.row, actor.at]);
        else if (submission === null || (isAutomatic(kind) && suppressed)) return "not-sendable";
        else await session.run(insertMail, [kind, submission, actor.at]);
        const entry = { action: "mail.again", subject: reference ?? "newsletter", detail: { mail: kind, was: status } };
        await auditWithin(session, [entry], actor);
        return "due";
      });
    },
  } satisfies Partial<DeskStore>;
}
