// The audit log as CSV or NDJSON, entry by entry, oldest first.
import type { AuditRow } from "@submissions/shared/console";
import type { DeskStore } from "../storage/desk-store.ts";
import type { ReadFrom } from "../storage/store.ts";
import { byteOrderMark, csvLine } from "./csv.ts";
import type { ExportFormat } from "./export.ts";

const columns = ["id", "at", "operator", "action", "subject", "detail"];

/** @param from `after`: behind this id; `since`: not before this instant */
export async function* auditLines(
  desk: Pick<DeskStore, "readAudit">,
  format: ExportFormat,
  { after = 0, since = 0 }: ReadFrom,
): AsyncGenerator<string> {
  if (format === "csv") yield byteOrderMark + csvLine(columns);
  for await (const row of desk.readAudit(after)) {
    if (row.at >= since) yield format === "csv" ? cellsOf(row) : `${JSON.stringify({ ...row, at: timeOf(row) })}\n`;
  }
}

const timeOf = ({ at }: AuditRow): string => new Date(at).toISOString();

const cellsOf = (row: AuditRow): string =>
  csvLine([row.id, timeOf(row), row.operator, row.action, row.subject, JSON.stringify(row.detail)]);
