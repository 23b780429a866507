// Entries of the audit log as rows.
import type { AuditRow, HistoryEntry } from "@submissions/shared/console";
import type { AuditEntry } from "../desk-store.ts";
import { readFields } from "./json-column.ts";

export type AuditColumns = Omit<AuditRow, "detail"> & { readonly detail: string };

/** The column `detail`. */
export const detailOf = ({ detail = {} }: AuditEntry): string => JSON.stringify(detail).replaceAll("\\u0000", "");

export const auditRow = (row: AuditColumns): AuditRow => ({ ...row, detail: readFields(row.detail) });

export const historyEntry = ({ at, operator, action, detail }: AuditColumns): HistoryEntry => ({
  at,
  operator,
  action,
  detail: readFields(detail),
});

/** Entries of a submission that its page shows. */
export const historyMax = 200;

/** Submissions of a person that the console shows. */
export const personMax = 200;
