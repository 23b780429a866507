// The audit log.
import type { AuditRow } from "@submissions/shared/console";
import type { Actor, AuditEntry, DeskStore } from "../desk-store.ts";
import { auditRow as rowOf } from "../rules/tables.ts";
import { readFields } from "../rules/columns.ts";
import type { Engine } from "./engine.ts";
import { prepareNewestFirst } from "./ranges.ts";

export interface StoredEntry extends Omit<AuditRow, "detail"> {
  /** JSON. */
  readonly detail: string;
}

export const entryColumns = "id, at, operator, action, subject, detail";

const readEntry = (row: StoredEntry): AuditRow => ({ ...row, detail: readFields(row.detail) });

export const auditTable = {
  name: "audit",
  columns: entryColumns,
  number: "id",
  numberOf: ({ id }: StoredEntry) => id,
  recordOf: readEntry,
};

/** Adds entries within the transactions of what they record. */
export function prepareAudit({ insert }: Engine) {
  return (entry: AuditEntry, actor: Actor) => insert({ audit: [rowOf(entry, actor)] });
}

export function makeAuditLog(engine: Engine) {
  const { prepare, indexedBy, json, read, transaction } = engine;
  const add = prepareAudit(engine);
  // The log has no index of actions. The subject of a backup is its name, which begins with the year: subjects of others are
  // passed over, and a backup of a clock that was ahead as well.
  const latestBackup = prepare<StoredEntry>(`
    SELECT ${entryColumns} FROM audit ${indexedBy("audit_subject")}
    WHERE subject >= '2' AND subject < '3' AND action = 'backup' AND at <= $1
      AND coalesce(CAST((${json("detail")}) ->> 'lacking' AS INTEGER), 0) = 0
    ORDER BY subject DESC LIMIT 1`);
  return {
    audit: transaction(function* (entry, actor) {
      yield* add(entry, actor);
    }),

    listAudit: prepareNewestFirst(engine, auditTable),

    async latestBackup(now) {
      const [row] = await read(latestBackup(now));
      return row === undefined ? null : readEntry(row);
    },
  } satisfies Partial<DeskStore>;
}
