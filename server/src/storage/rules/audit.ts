// Entries of the audit log as rows.
import type { AuditEntry } from "../desk-store.ts";

/** The column `detail`. */
export const detailOf = ({ detail = {} }: AuditEntry): string => JSON.stringify(detail).replaceAll("\\u0000", "");
