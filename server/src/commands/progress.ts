// Shows a person at a terminal that long work goes on. Into a file or a log it writes nothing.
import type { Writable } from "node:stream";

/** Often enough to see it move, too rarely to cost anything. */
const intervalMs = 200;

type Terminal = Writable & { readonly isTTY?: boolean };

/**
 * Passes items on and counts them on a line that is rewritten, and wiped at the end.
 *
 * @param noun what is counted, in the plural
 */
export const withProgress = <T>(items: AsyncIterable<T>, noun: string, terminal: Terminal): AsyncIterable<T> =>
  terminal.isTTY === true ? counted(items, noun, terminal) : items;

async function* counted<T>(items: AsyncIterable<T>, noun: string, terminal: Terminal): AsyncGenerator<T> {
  let count = 0;
  let shownAt = performance.now();
  try {
    for await (const item of items) {
      count += 1;
      if (performance.now() - shownAt >= intervalMs) {
        shownAt = performance.now();
        terminal.write(`\r${count.toLocaleString("en")} ${noun}`);
      }
      yield item;
    }
  } finally {
    terminal.write("\r\u001B[K");
  }
}
