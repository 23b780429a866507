// The audit log.
import type { AuditRow } from "@submissions/shared/console";
import type { Actor, AuditEntry, DeskStore } from "../desk-store.ts";
import { auditRow as rowOf } from "../rules/tables.ts";
import { readFields } from "../rules/json-column.ts";
import type { Bind, Engine } from "./engine.ts";
import { prepareNewestFirst } from "./newest-first.ts";

/** An entry as it is stored. */
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
  const entries = prepareNewestFirst<StoredEntry>(engine, {
    columns: entryColumns,
    name: "audit",
    number: "id",
    numberOf: ({ id }) => id,
  });
  return {
    audit: (entry, actor) =>
      engine.transaction(function* () {
        yield* add(entry, actor);
      }),

    async listAudit(page, action) {
      const wanted = (bind: Bind) => ({ conditions: action === undefined ? [] : [`action = ${bind(action)}`] });
      const found = await entries(wanted, page);
      return { ...found, rows: found.rows.map(readEntry) };
    },
  } satisfies Partial<DeskStore>;
}
