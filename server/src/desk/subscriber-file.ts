// A file of subscribers, as a table with the names of its columns in the first row.
import { importRowsMax } from "@submissions/shared/console";
import { fieldInvalid } from "../fault.ts";
import { fromKept, readCsv } from "./csv.ts";

const columns = ["email", "source", "consentText", "consentPage", "consentAt"];

export interface SubscriberFile {
  /** `row` as spreadsheets count: the names of the columns are row 1. */
  readonly rows: readonly { readonly row: number; readonly cells: Readonly<Record<string, string>> }[];
  /** Names of columns that mean nothing here. */
  readonly unread: readonly string[];
}

/** @throws Fault `fieldsInvalid`: the file is refused as a whole */
export function readSubscriberFile(csv: string): SubscriberFile {
  const records: (readonly string[])[] = [];
  for (const record of readCsv(csv)) {
    if (records.push(record) > importRowsMax + 1)
      throw fieldInvalid("csv", "The file has more than 10,000 rows. Divide it.");
  }
  const names = (records[0] ?? []).map((written) => {
    const name = written.trim();
    return columns.find((column) => column.toLowerCase() === name.toLowerCase()) ?? name;
  });
  if (!names.includes("email")) throw fieldInvalid("csv", "The first row must name the columns. There is no email.");
  const rows = records.flatMap((record, index) => {
    if (index === 0 || record.every((cell) => cell.trim() === "")) return [];
    return [
      { row: index + 1, cells: Object.fromEntries(names.map((name, place) => [name, fromKept(record[place] ?? "")])) },
    ];
  });
  if (rows.length === 0) throw fieldInvalid("csv", "The file has no rows below the names of its columns.");
  return { rows, unread: names.filter((name) => name !== "" && !columns.includes(name)) };
}
