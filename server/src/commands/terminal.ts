// What commands write: data in pieces, no faster than it is read; tables; progress for a person at a terminal.
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Lines are short and a system call is expensive: this many characters are gathered before one. */
const pieceLengthMin = 64 * 1024;

type Terminal = Writable & { readonly isTTY?: boolean };

/** Often enough to see it move. */
const progressMs = 200;

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

/** Joins short texts to pieces that are worth a system call. */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let gathered = "";
  for await (const text of texts) {
    gathered += text;
    if (gathered.length < pieceLengthMin) continue;
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

/** A text of others for a terminal, which would obey its control characters. */
export const forTerminal = (text: string): string => text.replace(/\p{Cc}+/gu, " ");

/** Counts on a line that is rewritten, and wiped when it is disposed of. Into a file or a pipe it writes nothing. */
export class Progress implements Disposable {
  readonly #terminal: Terminal;
  #shownAt = performance.now();
  #isShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** @param noun what is counted, in the plural */
  show(count: number, noun: string): void {
    if (this.#terminal.isTTY !== true || performance.now() - this.#shownAt < progressMs) return;
    this.#shownAt = performance.now();
    this.#isShown = true;
    this.#terminal.write(`\r\u001B[K${count.toLocaleString("en")} ${noun}`);
  }

  /** Passes items on and counts them. */
  async *count<T>(items: AsyncIterable<T>, noun: string): AsyncGenerator<T> {
    let count = 0;
    for await (const item of items) {
      count += 1;
      this.show(count, noun);
      yield item;
    }
  }

  [Symbol.dispose](): void {
    if (this.#isShown) this.#terminal.write("\r\u001B[K");
  }
}
