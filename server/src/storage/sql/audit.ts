// The audit log.
import type { AuditRow } from "@submissions/shared/console";
import type { Actor, AuditEntry, DeskStore } from "../desk-store.ts";
import { pageOf, rowsOf } from "../rules/inbox-filter.ts";
import { readFields } from "../rules/json-column.ts";
import type { Engine } from "./engine.ts";
import { prepareReader } from "./reading.ts";

/** An entry as it is stored. */
export interface StoredEntry extends Omit<AuditRow, "detail"> {
  /** JSON. */
  readonly detail: string;
}

export const entryColumns = "id, at, operator, action, subject, detail";

/** The column `detail`. */
const detailOf = ({ detail = {} }: AuditEntry): string => JSON.stringify(detail).replaceAll("\\u0000", "");

/** Adds entries within the transactions of what they tell. */
export function prepareAudit({ prepare }: Engine) {
  const insert = prepare("INSERT INTO audit (at, operator, action, subject, detail) VALUES ($1, $2, $3, $4, $5)");
  return (entry: AuditEntry, { operator, at }: Actor) =>
    insert(at, operator, entry.action, entry.subject, detailOf(entry));
}

export function makeAuditLog(engine: Engine) {
  const { prepare, read, transaction } = engine;
  const add = prepareAudit(engine);
  const before = prepare<StoredEntry>(`SELECT ${entryColumns} FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2`);
  const readBehind = prepareReader<StoredEntry>(engine, { table: "audit", number: "id", columns: entryColumns });
  const auditRow = (row: StoredEntry): AuditRow => ({ ...row, detail: readFields(row.detail) });

  return {
    audit: (entry, actor) =>
      transaction(function* () {
        yield* add(entry, actor);
      }),

    async listAudit(page) {
      const limit = rowsOf(page);
      const rows = await read(before(page.after ?? Number.MAX_SAFE_INTEGER, limit + 1));
      return pageOf(rows.map(auditRow), limit, ({ id }) => id);
    },

    async *readAudit(after) {
      for await (const rows of readBehind(after)) yield rows.map(auditRow);
    },
  } satisfies Partial<DeskStore>;
}
