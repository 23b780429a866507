// A file of subscribers, as a table with the names of its columns in the first row.
import { setImmediate as nextTurn } from "node:timers/promises";
import { importRowsMax } from "@submissions/shared/console";
import { fieldInvalid } from "../fault.ts";
import { fromKept, readCsv } from "./csv.ts";

const columns = ["email", "source", "consentText", "consentPage", "consentAt"];

export type SubscriberFile = Awaited<ReturnType<typeof readSubscriberFile>>;

/** `row` as spreadsheets count: the names of the columns are row 1. Of the cells only those of columns that mean something. */
type Row = { readonly row: number; readonly cells: Readonly<Record<string, string>> };

/** Characters and cells that are read in a turn of the event loop: about a millisecond of work. */
const turnMax = 20_000;

/** Gives other work its turn while it reads. @throws Fault `fieldsInvalid`: the file is refused as a whole */
export async function readSubscriberFile(csv: string) {
  const rows: Row[] = [];
  let [row, left] = [0, turnMax];
  let names: readonly string[] = [];
  let kept: readonly (readonly [name: string, place: number])[] = [];
  for (const record of readCsv(csv)) {
    row += 1;
    left -= record.reduce((sum, cell) => sum + cell.length, record.length);
    if (left <= 0) {
      await nextTurn();
      left = turnMax;
    }
    if (row === 1) {
      names = record.map(nameOf);
      kept = columns.flatMap((name) => (names.includes(name) ? [[name, names.lastIndexOf(name)] as const] : []));
    } else if (record.some((cell) => cell.trim() !== "")) {
      if (rows.length >= importRowsMax) throw fieldInvalid("csv", "The file has more than 10,000 rows. Divide it.");
      const cells = Object.fromEntries(kept.map(([name, place]) => [name, fromKept(record[place] ?? "")]));
      rows.push({ row, cells });
    }
  }
  if (!names.includes("email")) throw fieldInvalid("csv", "The first row must name the columns. There is no email.");
  if (rows.length === 0) throw fieldInvalid("csv", "The file has no rows below the names of its columns.");
  // Unread: names of columns that mean nothing here.
  return { rows, unread: names.filter((name) => name !== "" && !columns.includes(name)) };
}

function nameOf(written: string): string {
  const name = written.trim();
  return columns.find((column) => column.toLowerCase() === name.toLowerCase()) ?? name;
}
