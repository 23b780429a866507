// What commands write: data in pieces, no faster than it is read; tables; progress for a person at a terminal.
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { styleText } from "node:util";

export type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Writes texts without closing the output and without running ahead of its reader, who may go away (`| head`). */
export async function writeAll(texts: Iterable<string> | AsyncIterable<string | Uint8Array>, output: Writable) {
  try {
    await pipeline(Readable.from(texts), output, { end: false });
  } catch (error) {
    if (!isBrokenPipe(error)) throw error;
  }
}

export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === "EPIPE";

type Colour = "red" | "yellow" | "green" | "cyan";

// Words that should be seen first.
const colours: Readonly<Record<string, Colour>> = {
  failed: "red",
  "in-doubt": "yellow",
  queued: "cyan",
  sent: "green",
  new: "cyan",
};
/** A column that is shortened to fit the window keeps this much. */
const columnMin = 8;
const gap = "  ";

/** A table whose first row is the heading. On a terminal it is in colour, and columns are cut to fit the window. */
function formatTable(rows: readonly (readonly string[])[], terminal: Terminal): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  // A terminal that does not know its width, a serial line or one made by a program, says 0.
  if (terminal.isTTY === true && terminal.columns) narrow(widths, terminal.columns);
  const lines = rows.map((row, place) =>
    row.map((cell, column) => {
      const width = widths[column]!;
      const shown = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
      return painted(place === 0 ? "bold" : colours[shown], shown, terminal) + " ".repeat(width - shown.length);
    }),
  );
  return lines.map((line) => `${line.join(gap).trimEnd()}\n`).join("");
}

function narrow(widths: number[], window: number): void {
  const over = () => widths.reduce((sum, width) => sum + width + gap.length, -gap.length) - window;
  for (let excess = over(); excess > 0; excess = over()) {
    const widest = Math.max(...widths);
    if (widest <= columnMin) return;
    widths[widths.indexOf(widest)] = widest - 1;
  }
}

/** A text in a style, where the terminal shows styles and `NO_COLOR` is not set. */
export function painted(style: "bold" | Colour | undefined, text: string, terminal: Terminal): string {
  return style !== undefined && terminal.isTTY === true ? styleText(style, text, { stream: terminal }) : text;
}

/** JSON for programs, with times as text: `at`, `createdAt` and the like hold milliseconds. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, withDates, 2)}\n`;

const withDates = (name: string, value: unknown): unknown =>
  typeof value === "number" && /(?:^a|A)t$|Until$/.test(name) ? new Date(value).toISOString() : value;

export const toSecond = (epochMs: number | null): string =>
  epochMs === null ? "-" : `${new Date(epochMs).toISOString().slice(0, 19)}Z`;

/** What stands in each column, by its heading. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string | number>>;

/** A list for people as a table or, with `--json`, for programs as one JSON array. Says so when it is empty. */
export async function writeList<Item extends object>(
  { output, messages }: { readonly output: Terminal; readonly messages: Terminal },
  list: { readonly items: readonly Item[]; readonly columns: Columns<Item>; readonly noun: string },
  asJson: boolean,
): Promise<void> {
  const { items, columns, noun } = list;
  if (asJson) return writeAll([jsonText(items)], output);
  if (items.length === 0) return void messages.write(`No ${noun}.\n`);
  const rows = items.map((item) => Object.values(columns).map((cellOf) => forTerminal(String(cellOf(item)))));
  return writeAll([formatTable([Object.keys(columns), ...rows], output)], output);
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

  show(count: number, noun: string): void {
    // Often enough to see it move.
    if (this.#terminal.isTTY !== true || performance.now() - this.#shownAt < 200) return;
    this.#shownAt = performance.now();
    this.#isShown = true;
    this.#terminal.write(`\r\u001B[K${noun}: ${count.toLocaleString("en")}`);
  }

  /** @param sizeOf what an item counts for; without it, one */
  async *count<T>(items: AsyncIterable<T>, noun: string, sizeOf = (_item: T) => 1): AsyncGenerator<T> {
    let count = 0;
    for await (const item of items) {
      count += sizeOf(item);
      this.show(count, noun);
      yield item;
    }
  }

  [Symbol.dispose](): void {
    if (this.#isShown) this.#terminal.write("\r\u001B[K");
  }
}
