// The port by which a whole store is moved: its rows as they are, table by table, in the order of their keys. What the
// rows mean is nobody's business here, so that what is copied is what was stored, half-sent mails included.
import type { Database } from "./schema.ts";

/** Tables that say what a store itself is like, or count for minutes only who called: a new house has its own. */
export const storesOwnTables = ["schema_migration", "probe", "call_count"] as const;

/** The tables that hold what came in. */
export type ArchivedTable = Exclude<keyof Database, (typeof storesOwnTables)[number]>;

/** Where a row stands in its table: the values of its primary key. */
export type RowKey = readonly (string | number)[];

/**
 * Every table with the columns of its primary key. In this order: what a row refers to comes before it. Keys are ordered
 * by their bytes, in every engine.
 */
export const archivedKeys: {
  readonly [Table in ArchivedTable]: readonly [
    keyof Database[Table] & string,
    ...(readonly (keyof Database[Table] & string)[]),
  ];
} = {
  inquiry: ["reference"],
  application: ["reference"],
  subscriber: ["email_key"],
  newsletter_token: ["token_hash"],
  mail: ["id"],
  suppression: ["email_key"],
  idempotency: ["procedure", "key_hash"],
  spent_challenge: ["challenge_hash"],
};

export const archivedTables = Object.keys(archivedKeys) as readonly ArchivedTable[];

/**
 * `source`: held still, so that nothing is written to it while it is open, and every read sees the same rows. `target`:
 * written to, made and migrated if need be. No service runs on either.
 */
export type ArchiveRole = "source" | "target";

export interface RowArchive extends AsyncDisposable {
  /** At most `limit` rows of a table, in the order of their keys; those after a key, or from the first one on. */
  readAfter<Table extends ArchivedTable>(
    table: Table,
    after: RowKey | null,
    limit: number,
  ): Promise<readonly Database[Table][]>;
  /**
   * Adds rows in one transaction, which is on stable storage when this resolves. When it rejects, the archive is of no
   * more use.
   *
   * @throws StorageUnavailable; KeyTaken when one of them is there already, and then none was added
   */
  write<Table extends ArchivedTable>(table: Table, rows: readonly Database[Table][]): Promise<void>;
}

/** Somebody else has added a row under a key that was free. */
export class KeyTaken extends Error {
  override readonly name = "KeyTaken";
}
