// Writing much to whoever reads it: in pieces, no faster than it is read, and quietly when the reader has had enough.
// Knows nothing of what it writes.
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Lines are short and a system call is dear; this much is gathered before one. */
const chunkCharactersMin = 64 * 1024;

/**
 * Writes all texts to `output` without closing it and without running ahead of its reader. A reader that goes away
 * (`| head`) ends the writing and closes the source; that is no error.
 *
 * @param output standard output, or a file or pipe in its place
 */
export async function writeAll(
  texts: Iterable<string> | AsyncIterable<string | Uint8Array>,
  output: Writable,
): Promise<void> {
  try {
    await pipeline(Readable.from(texts), output, { end: false });
  } catch (error) {
    if (!isBrokenPipe(error)) throw error;
  }
}

/** Whether the reader of our output is gone. */
export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === "EPIPE";

/** Joins short texts to pieces worth a system call. */
export async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let gathered = "";
  for await (const text of texts) {
    gathered += text;
    if (gathered.length < chunkCharactersMin) continue;
    yield gathered;
    gathered = "";
  }
  if (gathered !== "") yield gathered;
}

/** Rows with their columns below each other; the last column is not padded. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

/** Text of others on its way to a terminal, which obeys control characters. */
export const forTerminal = (text: string): string => text.replace(/\p{Cc}+/gu, " ");
