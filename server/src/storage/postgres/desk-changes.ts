// What PostgreSQL does by itself when operators change submissions: one statement for all of a batch.
import type { References } from "../rules/references.ts";
import { detailOf } from "../sql/audit.ts";
import { type Changing, changingColumns, makeChanges } from "../sql/changes.ts";
import type { Engine } from "../sql/engine.ts";
import { query } from "./engine.ts";
import { leaveSpam } from "./leave-spam.ts";
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

    leaveSpam: (rows, now) =>
      leaveSpam(
        rows.map(({ arrival }) => arrival),
        now,
      ),
  });
