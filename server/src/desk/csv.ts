// Writes CSV that spreadsheets open as they should and run nothing of: RFC 4180, every cell quoted, formulas defused.
// Knows nothing of what is in the cells.

/** Absent values are empty cells. */
export type Cell = string | number | boolean | null;

/** Tells spreadsheets that the file is UTF-8; stands once, before the header. */
export const byteOrderMark = "\uFEFF";

// What makes a spreadsheet take a cell for a formula, also behind white space and characters that show nothing, which some
// of them drop first. The full-width forms count in Japanese and Chinese editions.
const startsFormula = /^(?:[\t\r\n]|[\s\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠])/u;

/**
 * Puts an apostrophe before a text that a spreadsheet would run. Telephone numbers like `+44…` get it too: there is no
 * telling them from formulas, and a wrong guess runs a stranger's command.
 */
export const defuse = (text: string): string => (startsFormula.test(text) ? `'${text}` : text);

export type Column<Row> = (row: Row) => Cell;

/** One record with its line end: the cells of a row, left to right. */
export function csvRecord<Row>(columns: readonly Column<Row>[], row: Row): string {
  let [line, comma] = ["", ""];
  for (const column of columns) {
    line += comma + writeCell(column(row));
    comma = ",";
  }
  return `${line}\r\n`;
}

/** One record with its line end, from its cells. */
export const csvLine = (cells: readonly Cell[]): string =>
  csvRecord(
    cells.map((cell) => () => cell),
    null,
  );

// Nearly all texts begin with a letter or digit and hold no quote: they are neither defused nor escaped.
const isPlain = /^[A-Za-z0-9][^"]*$/;

function writeCell(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : `"${cell}"`;
  return isPlain.test(cell) ? `"${cell}"` : `"${defuse(cell).replaceAll('"', '""')}"`;
}

/** Several identifiers in one cell: `|` between them; a `|` or `\` within one is written `\|` or `\\`. */
export function joinList(items: readonly string[]): string {
  return items.map((item) => item.replaceAll("\\", "\\\\").replaceAll("|", "\\|")).join("|");
}
