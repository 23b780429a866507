// Reads, at each readiness probe, the pages that accepting will read and write, so that a damaged one is met by the probe.
import { tableNames } from "../rules/tables.ts";
import type { SqliteConnection } from "./connection.ts";

/** Entries of the index of addresses that a probe reads: 0.3 ms. They come in no order, so the next probe goes on behind. */
const entriesAtOnce = 2_000;

/**
 * Prepares to read the last entry of each table that accepting writes and of each of its indexes, and in turn all entries of
 * the index of addresses.
 *
 * @returns a function that throws SQLite's error at a damaged page, and the next time again
 */
export function prepareTouches(connection: SqliteConnection): () => void {
  const ends = connection.query<{ text: string }>(
    `SELECT format('SELECT 1 FROM %s NOT INDEXED ORDER BY %s DESC LIMIT 1', value, keys.name) AS text
    FROM json_each(?1), pragma_table_info(value) AS keys WHERE keys.pk = 1
    UNION ALL
    SELECT format('SELECT 1 FROM %s INDEXED BY %s %s ORDER BY %s DESC LIMIT 1',
      tbl_name, indexes.name, coalesce(substr(sql, nullif(instr(sql, 'WHERE'), 0)), ''), columns.name)
    FROM sqlite_schema AS indexes, pragma_index_info(indexes.name) AS columns
    WHERE type = 'index' AND tbl_name IN (SELECT value FROM json_each(?1)) AND columns.seqno = 0`,
    JSON.stringify(tableNames),
  );
  const touches = ends.map(({ text }) => connection.prepare<[]>(text));
  const walk = connection.prepare<[string], { email_key: string }>(`
    SELECT email_key FROM submission INDEXED BY submission_email
    WHERE email_key > ? ORDER BY email_key LIMIT 1 OFFSET ${entriesAtOnce}`);
  let behind = "";
  return () => {
    for (const touch of touches) touch.get();
    behind = walk.get(behind)?.email_key ?? "";
  };
}
