// What PostgreSQL does by itself when operators change submissions: one statement for all of a batch.
import { quoted } from "../rules/inbox-filter.ts";
import { capMs, receiptsMax } from "../rules/mails.ts";
import type { References } from "../rules/references.ts";
import { statusActions } from "../rules/triage.ts";
import { detailOf } from "../sql/audit.ts";
import { type Changing, changingColumns, makeChanges } from "../sql/changes.ts";
import { type Engine, together } from "../sql/engine.ts";
import { lockReceiptsOf, suppressedInSql } from "./addresses.ts";
import { announcing } from "./announcements.ts";
import { query } from "./engine.ts";
import { prepared, type RowOf, rowsAs, valuesOf } from "./statement.ts";

const auditColumns = { at: "bigint", operator: "text", action: "text", subject: "text", detail: "text" } as const;

const insertAudit = prepared(
  `INSERT INTO audit (at, operator, action, subject, detail) SELECT * FROM ${rowsAs("entry", auditColumns)}`,
);

// In the order of their arrival, so that transactions cannot deadlock.
const lockRows = prepared<Changing>(`
  SELECT ${changingColumns} FROM submission
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

const update = prepared(`
  UPDATE submission SET status = changed.status, assignee = changed.assignee, version = changed.version,
    responded_at = changed.responded_at
  FROM ${rowsAs("changed", changedColumns)} WHERE submission.arrival = changed.arrival`);

const rowOf = (row: Changing): RowOf<typeof changedColumns> => ({ ...row, responded_at: row.respondedAt });

const lacksMail = (submission: string, kind: string) =>
  `(SELECT id FROM mail WHERE mail.submission = ${submission} AND mail.kind = ${kind} LIMIT 1) IS NULL`;

// A submission whose status was changed before was no spam at some time, and had its mails then. They may be forgotten.
const leave = prepared<{ mails: number }>(`
  WITH former AS MATERIALIZED (
    SELECT arrival, kind, email_key, (
      SELECT id FROM audit WHERE subject = reference AND action IN (${quoted(statusActions)}) LIMIT 1
    ) IS NULL AS unmailed
    FROM submission WHERE arrival = $1
  ),
  receipted AS (
    UPDATE submission SET receipt_at = $2
    FROM former WHERE submission.arrival = former.arrival AND unmailed
      AND ${lacksMail("former.arrival", "former.kind || '-receipt'")}
      AND NOT ${suppressedInSql("former.email_key")}
      AND (SELECT count(*) FROM (
        SELECT FROM submission AS earlier WHERE earlier.email_key = former.email_key
          AND earlier.receipt_at > $2::bigint - ${capMs} LIMIT ${receiptsMax}) AS receipts) < ${receiptsMax}
    RETURNING submission.arrival
  ),
  mails AS (
    INSERT INTO mail (kind, submission, status, created_at, due_at)
    SELECT kind || suffix, arrival, 'queued', $2, $2
    FROM former, (VALUES ('-receipt'), ('-notice')) AS suffix (suffix)
    WHERE unmailed AND ${lacksMail("arrival", "kind || suffix")}
      AND (suffix = '-notice' OR EXISTS (SELECT FROM receipted))
    RETURNING id
  ),
  ${announcing("former", "$2::bigint")}
  SELECT count(*) AS mails FROM mails`);

export const makeDeskChanges = (engine: Engine, references: References) =>
  makeChanges(engine, references, {
    *lockRows(named) {
      const dayNumbers = named.map(({ dayNumber }) => dayNumber);
      const kinds = named.map(({ kind }) => kind);
      return yield* query(lockRows, dayNumbers, kinds);
    },

    *update(changed) {
      yield* query(update, ...valuesOf(changedColumns, changed.map(rowOf)));
    },

    *audit(entries, { operator, at }) {
      const rows = entries.map((entry) => ({ ...entry, at, operator, detail: detailOf(entry) }));
      yield* query(insertAudit, ...valuesOf(auditColumns, rows));
    },

    *leaveSpam(rows, now) {
      const arrivals = rows.map(({ arrival }) => arrival);
      // Sent together: a process that stops in between would hold the locks, and with them the submissions of others.
      const [, ...left] = yield* together([
        query(lockReceiptsOf, arrivals),
        ...arrivals.map((arrival) => query(leave, arrival, now)),
      ]);
      return left.flat().reduce((sum, { mails }) => sum + mails, 0);
    },
  });
