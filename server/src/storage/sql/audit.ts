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

export const readEntry = (row: StoredEntry): AuditRow => ({ ...row, detail: readFields(row.detail) });

/** Adds entries within the transactions of what they tell. */
export const prepareAudit =
  ({ insert }: Engine) =>
  (entry: AuditEntry, actor: Actor) =>
    insert({ audit: [rowOf(entry, actor)] });

export function makeAuditLog(engine: Engine) {
  const add = prepareAudit(engine);
  const entries = prepareNewestFirst(engine, {
    columns: entryColumns,
    name: "audit",
    number: "id",
    numberOf: ({ id }: StoredEntry) => id,
    recordOf: readEntry,
  });
  return {
    audit: (entry, actor) =>
      engine.transaction(function* () {
        yield* add(entry, actor);
      }),

    listAudit: (page, action) =>
      entries((bind) => ({ conditions: action === undefined ? [] : [`action = ${bind(action)}`] }), page),
  } satisfies Partial<DeskStore>;
}
