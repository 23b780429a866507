// Entries of the audit log as rows.
import type { Actor, AuditEntry } from "../desk-store.ts";
import type { TableRow } from "./tables.ts";

export const auditRow = ({ action, subject, detail = {} }: AuditEntry, { operator, at }: Actor): TableRow<"audit"> => ({
  at,
  operator,
  action,
  subject,
  detail: JSON.stringify(detail).replaceAll("\\u0000", ""),
});
