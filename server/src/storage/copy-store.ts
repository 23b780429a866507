// Moves the rows of one store into another, which is empty or holds the beginning of the same move. Nothing is ever
// overwritten: every row that is there already must be the one that would have been written. Knows no engine, and no
// table but by name.
import { createHash } from "node:crypto";
import { reached } from "../failpoint.ts";
import {
  type ArchivedTable,
  archivedKeys,
  archivedTables,
  KeyTaken,
  type RowArchive,
  type RowKey,
} from "./row-archive.ts";
import type { Database } from "./schema.ts";

/** Rows of one transaction: at 20 kB for the longest of them, ten megabytes. */
const batchRows = 500;

/** The target holds what the source does not. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";

  constructor(table: ArchivedTable, options?: ErrorOptions) {
    super(
      `The table ${table} of the target holds rows that the source has not, or has otherwise: it is neither an empty ` +
        "store nor the beginning of a copy of this one. None of its rows was changed. Copy to an empty store.",
      options,
    );
  }
}

/** All rows of a table in one number and one text. */
export interface TableDigest {
  readonly rows: number;
  /** SHA-256 of the rows in the order of their keys, lower-case hexadecimal; the same on every engine. */
  readonly sha256: string;
}

/** One table on its way. */
export interface TableCopy {
  readonly table: ArchivedTable;
  /** Rows that an earlier, interrupted copy has brought over. */
  readonly alreadyThere: number;
  /** Copies the others and yields each row once it is on stable storage. To be run to its end, once. */
  rest(): AsyncGenerator<unknown, void>;
  /** The digest of the source as it was read, and of the target as it can be read now. After {@link rest}. */
  compare(): Promise<{ readonly source: TableDigest; readonly target: TableDigest }>;
}

/**
 * Looks at what the target holds, and answers the tables in the order in which they must be copied. Writes nothing.
 *
 * @throws CopyRefused when the target is neither empty nor the beginning of a copy of the source
 */
export async function beginCopy(source: RowArchive, target: RowArchive): Promise<readonly TableCopy[]> {
  const copies: TableCopy[] = [];
  for (const table of archivedTables) copies.push(await beginTable(table, source, target));
  return copies;
}

async function beginTable(table: ArchivedTable, source: RowArchive, target: RowArchive): Promise<TableCopy> {
  const read = new Tally(table);
  for await (const theirs of batches(table, target)) {
    const ours = await source.readAfter(table, read.last, theirs.length);
    if (linesOf(ours) !== linesOf(theirs)) throw new CopyRefused(table);
    read.add(ours);
  }
  return {
    table,
    alreadyThere: read.rows,
    async *rest() {
      for await (const rows of batches(table, source, read.last)) {
        read.add(rows);
        await target.write(table, rows).catch((error: unknown) => {
          throw error instanceof KeyTaken ? new CopyRefused(table, { cause: error }) : error;
        });
        reached("rows-copied");
        yield* rows;
      }
    },
    async compare() {
      const written = new Tally(table);
      for await (const rows of batches(table, target)) written.add(rows);
      return { source: read.digest(), target: written.digest() };
    },
  };
}

/** The resumes that the applications of a store know, in the order of their references. */
export async function* resumesOf(
  source: RowArchive,
): AsyncGenerator<{ readonly reference: string; readonly key: string; readonly sha256: string }, void> {
  for await (const rows of batches("application", source)) {
    for (const { reference, resume_key: key, resume_sha256: sha256 } of rows) {
      if (key !== null && sha256 !== null) yield { reference, key, sha256 };
    }
  }
}

/** All rows of a table after a key, in pages. */
async function* batches<Table extends ArchivedTable>(
  table: Table,
  archive: RowArchive,
  from: RowKey | null = null,
): AsyncGenerator<readonly Database[Table][], void> {
  let after = from;
  for (;;) {
    const rows = await archive.readAfter(table, after, batchRows);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < batchRows) return;
    after = keyOf(table, last);
  }
}

/** The rows of a table that were seen so far, in their order. */
class Tally<Table extends ArchivedTable> {
  readonly #table: Table;
  readonly #hash = createHash("sha256");
  rows = 0;
  /** Where the last one stands. */
  last: RowKey | null = null;

  constructor(table: Table) {
    this.#table = table;
  }

  add(rows: readonly Database[Table][]): void {
    const last = rows.at(-1);
    if (last === undefined) return;
    this.#hash.update(linesOf(rows));
    this.rows += rows.length;
    this.last = keyOf(this.#table, last);
  }

  digest(): TableDigest {
    return { rows: this.rows, sha256: this.#hash.copy().digest("hex") };
  }
}

function keyOf<Table extends ArchivedTable>(table: Table, row: Database[Table]): RowKey {
  return archivedKeys[table].map((column) => row[column] as RowKey[number]);
}

const linesOf = (rows: readonly object[]): string => rows.map((row) => `${canonical(row)}\n`).join("");

/**
 * A row as a text that is the same whichever engine it comes from: columns by name, in the order of their names.
 *
 * @throws TypeError when an engine hands out what the other cannot store as it is
 */
function canonical(row: object): string {
  const columns = Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (const [column, value] of columns as [string, unknown][]) {
    if (value === null || typeof value === "string" || Number.isSafeInteger(value)) continue;
    throw new TypeError(`Column ${column} holds neither text nor a whole number.`);
  }
  return JSON.stringify(columns);
}
