// Damages a SQLite database of which no store is open, as a bad disk does.
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const pageBytes = 4_096;

/** The leaves of a table or index, from left to right, and the whole file. */
function leavesOf(file: string, name: string) {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const rows = database
      .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
      .all(name) as { pageno: number }[];
    const bytes = readFileSync(file);
    const leaves = rows.map(({ pageno }) => bytes.subarray((pageno - 1) * pageBytes, pageno * pageBytes));
    return { bytes, leaves };
  } finally {
    database.close();
  }
}

/** Overwrites a leaf with zeros: the one that has a text, or the last one. */
export function zeroLeaf(file: string, name: string, text?: string): void {
  const { bytes, leaves } = leavesOf(file, name);
  const leaf = text === undefined ? leaves.at(-1) : leaves.find((one) => one.includes(text));
  if (leaf === undefined) throw new Error(`No leaf of ${name} has ${text}.`);
  leaf.fill(0);
  writeFileSync(file, bytes);
}

/** Replaces a text in all leaves by one of the same length. */
export function changeLeaves(file: string, name: string, text: string, by: string): void {
  const { bytes, leaves } = leavesOf(file, name);
  for (const leaf of leaves) {
    for (let at = leaf.indexOf(text); at !== -1; at = leaf.indexOf(text, at)) leaf.write(by, at);
  }
  writeFileSync(file, bytes);
}
