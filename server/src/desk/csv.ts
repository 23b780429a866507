// Writes CSV that spreadsheets open as they should: RFC 4180, every cell quoted, texts kept as texts. And reads what they
// write. Knows nothing of what is in the cells.
import { fieldInvalid } from "../fault.ts";

/** Absent values are empty cells. */
export type Cell = string | number | boolean | null;

/** Tells spreadsheets that the file is UTF-8; stands once, before the header. */
export const byteOrderMark = "\uFEFF";

// Also behind white space and what shows nothing, which some spreadsheets drop first, and in full width, for Asian editions.
const startsFormula = /^(?:[\t\r\n]|[\s\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠])/u;

/** Longer texts are no number or date to any spreadsheet. */
const valueLengthMax = 320;
/** Looks the same as a number. A longer one would be shown as `1.2E+11`. */
const plainNumber = /^(?:0|[1-9]\d{0,10})$/;
/** Words that mean something beside digits: an exponent, halves of a day, months in English and German, dates in Japanese. */
const words =
  "(?<=\\d[.,]?)e(?=[+-]?\\d)|(?<=\\d ?)[ap](?:\\.?m)?|jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|mär(?:z)?|mrz|apr(?:il)?|ma[yi]|jun[ei]?|jul[yi]?|aug(?:ust)?|" +
  "sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|[年月日]";
const value = new RegExp(`^(?:[\\p{Nd}\\p{Sc}\\s.,:/()%'’+−–-]|(?<!\\p{L})(?:${words})(?!\\p{L}))+$`, "iu");
const otherValue = /^\s*(?:true|false|wahr|falsch|#n\/a|#nv|#[a-zäöü/0]+[!?])\s*$/i;

/** Whether a spreadsheet would run a text, or read it as a number, date, time, truth value or error. */
function isReadOtherwise(text: string): boolean {
  if (startsFormula.test(text) || otherValue.test(text)) return true;
  if (text.length > valueLengthMax || !/\p{N}/u.test(text) || plainNumber.test(text)) return false;
  return value.test(/[^\x00-\x7F]/.test(text) ? text.normalize("NFKC") : text);
}

/** Whether a text, without the apostrophes before it, is read as something else. */
const isKept = (text: string): boolean => isReadOtherwise(text.startsWith("'") ? text.replace(/^'+/, "") : text);

/** Puts an apostrophe before a text that a spreadsheet would not leave as it is. {@link fromKept} takes it off again. */
export const keepAsText = (text: string): string => (isKept(text) ? `'${text}` : text);

/** The text that {@link keepAsText} was given. */
export const fromKept = (cell: string): string => (cell.startsWith("'") && isKept(cell) ? cell.slice(1) : cell);

/** One record with its line end. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(writeCell).join(",")}\r\n`;

function writeCell(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : `"${cell}"`;
  return `"${keepAsText(cell).replaceAll('"', '""')}"`;
}

/** Several identifiers in one cell: `|` between them; a `|` or `\` within one is written `\|` or `\\`. */
export const joinList = (items: readonly string[]): string =>
  items.map((item) => item.replaceAll("\\", "\\\\").replaceAll("|", "\\|")).join("|");

/** More in one row, or in one cell, is no table of ours. */
const cellsMax = 100;
const cellLengthMax = 100_000;

/** A line that Excel writes and reads before the header. Other programs fill it up with empty cells. */
const separatorLine = /^\uFEFF?"?sep=([,;\t])"?[ ,;\t]*(?:\r\n?|\n|$)/i;

/** The separator of a table without such a line: the one that its header has most of, outside quotation marks. */
function separatorOf(head: string): string {
  const [names = ""] = head.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/, 1);
  const count = (one: string) => names.split(one).length;
  return [",", ";", "\t"].reduce((most, one) => (count(one) > count(most) ? one : most));
}

/**
 * Reads CSV row by row, with comma, semicolon or tab for a separator and any line ends. A line `sep=` counts as no row.
 * @throws Fault `fieldsInvalid` where a row has far too many cells, a quoted cell is far too long or its mark is not closed
 */
export function* readCsv(text: string): Generator<readonly string[], void, undefined> {
  const [line = "", named] = separatorLine.exec(text) ?? [];
  const separator = named ?? separatorOf(text.slice(0, 10_000));
  const end = new RegExp(`[${separator}\r\n]`, "g");
  let at = line === "" && text.startsWith(byteOrderMark) ? 1 : line.length;
  for (let row = 1, cells: string[] = []; at <= text.length;) {
    const start = at;
    let cell = "";
    while (text[at] === '"') {
      const quote = text.indexOf('"', at + 1);
      if (quote < 0) throw fieldInvalid("csv", `A quotation mark in row ${row} is not closed.`);
      if (quote - start > cellLengthMax) throw fieldInvalid("csv", `A cell in row ${row} is too long.`);
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
