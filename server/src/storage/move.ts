// Copies a whole store into an empty one, on the same or another engine, while the source is in use. All rows are written
// in one transaction, which is committed only after what was written has been read back and compared.
import { createHash } from "node:crypto";
import { reached } from "../failpoint.ts";
import { inPages, pageRows } from "./pages.ts";
import { OperatorError } from "../operator-error.ts";

/** A row as it is stored, by the names of its columns, which both engines share. */
export type Row = Readonly<Record<string, string | number | null>>;

export interface MovedTable {
  readonly name: string;
  /** The columns of the primary key. Rows are read in its order; texts are compared by their bytes. */
  readonly key: readonly string[];
  /** Whether the database numbers its rows. Numbers of erased rows must not be used again. */
  readonly numbered?: true;
}

/** All tables but those of the search, which is filled anew. What a row refers to comes in an earlier table. */
export const movedTables: readonly MovedTable[] = [
  { name: "store", key: ["id"] },
  { name: "submission", key: ["arrival"], numbered: true },
  { name: "day_counter", key: ["kind", "day"] },
  { name: "subscriber", key: ["arrival"], numbered: true },
  { name: "newsletter_token", key: ["token_hash"] },
  { name: "operator", key: ["id"], numbered: true },
  { name: "reply", key: ["id"], numbered: true },
  { name: "mail", key: ["id"], numbered: true },
  { name: "suppression", key: ["email_key"] },
  { name: "idempotency", key: ["procedure", "key_hash"] },
  { name: "spent_challenge", key: ["challenge_hash"] },
  { name: "answer", key: ["id"], numbered: true },
  { name: "answer_file", key: ["id"], numbered: true },
  { name: "reply_file", key: ["id"], numbered: true },
  { name: "answer_left_out", key: ["submission"] },
  { name: "unmatched", key: ["id"], numbered: true },
  { name: "tag", key: ["submission", "word"] },
  { name: "note", key: ["id"], numbered: true },
  { name: "audit", key: ["id"], numbered: true },
  { name: "tag_change", key: ["entry"] },
  { name: "erased_resume", key: ["resume_key"] },
  { name: "day_count", key: ["day", "kind"] },
  { name: "saved_answer", key: ["id"], numbered: true },
  { name: "inbound_mailbox", key: ["mailbox"] },
  { name: "recovery_code", key: ["operator", "code_hash"] },
  { name: "session", key: ["id_hash"] },
  { name: "api_token", key: ["id"], numbered: true },
  { name: "webhook", key: ["id"], numbered: true },
  { name: "webhook_delivery", key: ["id"], numbered: true },
];

/** A source is read as it is at one moment, while services write to it. A backup is a target that is a new file of SQLite. */
export type MoveRole = "source" | "target" | "backup";

/** One transaction, open until it is disposed of. */
export interface MovableStore extends AsyncDisposable {
  /** @param text with parameters `$1`, `$2` … */
  query(text: string, values?: readonly (string | number)[]): Promise<readonly Row[]>;
  insert(table: Pick<MovedTable, "name">, rows: readonly Row[]): Promise<void>;
  /** The last number that was given to a row of a numbered table; 0 when none was. */
  lastNumber(table: MovedTable): Promise<number>;
  /** Makes the next row of a numbered table get a number behind this one. */
  continueBehind(table: MovedTable, lastNumber: number): Promise<void>;
  /** Makes everything durable. A store that is disposed of without it is as it was before. */
  commit(): Promise<void>;
}

export interface MovedRows {
  readonly name: string;
  readonly rows: number;
  /** SHA-256 of the rows in the order of their keys, lower-case hexadecimal; the same on both engines. */
  readonly sha256: string;
}

/**
 * Writes all rows of a store into an empty one, reads them back and compares them. Does not commit.
 * @param onProgress called after each page with the table and how many of its rows were copied
 * @throws OperatorError when the rows that are read back are others
 * @throws StorageUnavailable
 */
export async function moveRows(
  source: MovableStore,
  target: MovableStore,
  onProgress: (table: string, rows: number) => void = () => {},
): Promise<readonly MovedRows[]> {
  const moved: MovedRows[] = [];
  for (const table of movedTables) {
    const read = await digestOf(table, source, async (page, rows) => {
      await target.insert(table, page);
      reached("rows-copied");
      onProgress(table.name, rows);
    });
    if (table.numbered === true) await target.continueBehind(table, await source.lastNumber(table));
    moved.push(read);
  }
  for (const [index, table] of movedTables.entries()) {
    if ((await digestOf(table, target)).sha256 === moved[index]?.sha256) continue;
    throw new OperatorError(`The rows of ${table.name} are not those that were written: nothing was copied.`);
  }
  return moved;
}

/** Reads all rows of a table in the order of its primary key. @param onPage called with each page and the number so far */
async function digestOf(
  { name, key }: MovedTable,
  store: MovableStore,
  onPage: (page: readonly Row[], rows: number) => Promise<void> = async () => {},
): Promise<MovedRows> {
  const hash = createHash("sha256");
  const columns = key.join();
  const behind = `WHERE (${columns}) > (${key.map((_, index) => `$${index + 1}`).join()})`;
  const pageBehind = (last: Row | undefined) => {
    const place = last === undefined ? "" : behind;
    // No column of a primary key is null.
    const after = last === undefined ? [] : key.map((column) => last[column] ?? "");
    return store.query(`SELECT * FROM ${name} ${place} ORDER BY ${columns} LIMIT ${pageRows}`, after);
  };
  let rows = 0;
  for await (const page of inPages(pageBehind)) {
    // The engines may have the columns in another order.
    for (const row of page) hash.update(`${JSON.stringify(row, Object.keys(row).toSorted())}\n`);
    rows += page.length;
    await onPage(page, rows);
  }
  return { name, rows, sha256: hash.digest("hex") };
}
