// Writes CSV that spreadsheets open as they should and run nothing of: RFC 4180, every cell quoted, formulas defused. And
// reads what they write. Knows nothing of what is in the cells.
import { fieldInvalid } from "../fault.ts";

/** Absent values are empty cells. */
export type Cell = string | number | boolean | null;

/** Tells spreadsheets that the file is UTF-8; stands once, before the header. */
export const byteOrderMark = "\uFEFF";

// Also behind white space and what shows nothing, which some spreadsheets drop first, and in full width, for Asian editions.
const startsFormula = /^(?:[\t\r\n]|[\s\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠])/u;

/** Puts an apostrophe before a text that a spreadsheet would run: also telephone numbers, which look like formulas. */
export const defuse = (text: string): string => (startsFormula.test(text) ? `'${text}` : text);

/** One record with its line end. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(writeCell).join(",")}\r\n`;

function writeCell(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : `"${cell}"`;
  return `"${defuse(cell).replaceAll('"', '""')}"`;
}

/** Several identifiers in one cell: `|` between them; a `|` or `\` within one is written `\|` or `\\`. */
export const joinList = (items: readonly string[]): string =>
  items.map((item) => item.replaceAll("\\", "\\\\").replaceAll("|", "\\|")).join("|");

/** More in one row is no table of ours. */
const cellsMax = 100;

/**
 * Reads CSV row by row, with the separator of the first row (comma, semicolon or tab) and any line ends.
 *
 * @throws Fault `fieldsInvalid` where a row has far too many cells or a quotation mark is not closed
 */
export function* readCsv(text: string): Generator<readonly string[], void, undefined> {
  const [head = ""] = text.slice(0, 10_000).split(/[\r\n]/, 1);
  const separator = [",", ";", "\t"].find((one) => head.includes(one)) ?? ",";
  const end = new RegExp(`[${separator}\r\n]`, "g");
  let at = text.startsWith(byteOrderMark) ? 1 : 0;
  for (let row = 1, cells: string[] = []; at <= text.length;) {
    const start = at;
    let cell = "";
    while (text[at] === '"') {
      const quote = text.indexOf('"', at + 1);
      if (quote < 0) throw fieldInvalid("csv", `A quotation mark in row ${row} is not closed.`);
      // Of two quotation marks in a quoted cell, the second one begins the next part.
      cell += text.slice(at === start ? at + 1 : at, quote);
      at = quote + 1;
    }
    end.lastIndex = at;
    const stop = end.exec(text)?.index ?? text.length;
    if (cells.push(cell + text.slice(at, stop)) > cellsMax) throw fieldInvalid("csv", `Row ${row} has too many cells.`);
    at = stop + 1;
    if (text[stop] === separator) continue;
    yield cells;
    [row, cells] = [row + 1, []];
    if (text[stop] === "\r" && text[at] === "\n") at += 1;
    if (at >= text.length) return;
  }
}
