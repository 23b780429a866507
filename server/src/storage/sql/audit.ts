// Entries of the audit log, within the transactions of what they tell.
import type { Actor, AuditEntry } from "../desk-store.ts";
import { detailOf } from "../rules/audit.ts";
import type { Engine } from "./engine.ts";

export function prepareAudit({ prepare }: Engine) {
  const insert = prepare("INSERT INTO audit (at, operator, action, subject, detail) VALUES ($1, $2, $3, $4, $5)");
  return (entry: AuditEntry, { operator, at }: Actor) =>
    insert(at, operator, entry.action, entry.subject, detailOf(entry));
}
