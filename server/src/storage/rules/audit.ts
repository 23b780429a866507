// Entries of the audit log as rows.
import type { AuditRow, HistoryEntry } from "@submissions/shared/console";
import type { AuditEntry } from "../desk-store.ts";

export type AuditColumns = Omit<AuditRow, "detail"> & { readonly detail: string };

/** The column `detail`. */
export const detailOf = ({ detail = {} }: AuditEntry): string => JSON.stringify(detail).replaceAll("\\u0000", "");

export const auditRow = (row: AuditColumns): AuditRow => ({ ...row, detail: parseDetail(row.detail) });

export function historyEntry({ at, operator, action, detail }: AuditColumns): HistoryEntry {
  return { at, operator, action, detail: parseDetail(detail) };
}

function parseDetail(json: string): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(json) as object) };
  } catch (error) {
    // A bad disk: the entry is shown all the same.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Entries of a submission that its page shows. */
export const historyMax = 200;

/** Submissions of a person that the console shows. */
export const personMax = 200;
