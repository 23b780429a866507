// Writes CSV that spreadsheets open as they should and run nothing of: RFC 4180, every cell quoted, formulas defused.
// Knows nothing of what is in the cells.

/** Absent values are empty cells. */
export type Cell = string | number | boolean | null;

/** Tells spreadsheets that the file is UTF-8; stands once, before the header. */
export const byteOrderMark = "\uFEFF";

// What makes a spreadsheet take a cell for a formula, also behind white space and characters without width, which some
// of them drop first. The full-width forms count in Japanese and Chinese editions.
const startsFormula = /^(?:[\t\r\n]|[\s\p{White_Space}\p{Cf}]*[=+\-@＝＋－＠])/u;

/**
 * Puts an apostrophe before a text that a spreadsheet would run. Telephone numbers like `+44…` get it too: there is no
 * telling them from formulas, and a wrong guess runs a stranger's command.
 */
export const defuse = (text: string): string => (startsFormula.test(text) ? `'${text}` : text);

/** One record with its line end. */
export function csvLine(cells: readonly Cell[]): string {
  let [line, comma] = ["", ""];
  for (const cell of cells) {
    line += comma + writeCell(cell);
    comma = ",";
  }
  return `${line}\r\n`;
}

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
