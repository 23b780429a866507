// The SQLite engine of the store: every method is one job of the commit queue, or one short read.
import { addressed, type AddressedEntry } from "../rules/facts.ts";
import { References } from "../rules/references.ts";
import { makeSharedStore, type StoreRow, storeRow } from "../sql/shared-store.ts";
import { type Acceptance, type OpenOptions, operatorsReadMs, StorageUnavailable, type Store } from "../store.ts";
import { retryWhileBusy } from "./errors.ts";
import type { SqliteConnection } from "./connection.ts";
import { makeEngine, readingBy, type RunJob } from "./engine.ts";
import { inbox, prepareSearchIndex } from "./inbox.ts";
import { makeJobQueue, prepareAccept } from "./jobs.ts";
import { makeReadingThread } from "./reading-thread.ts";
import { tableNames } from "../rules/tables.ts";

/** How long the readiness check waits for the write lock. A probe gives up soon. */
const readinessWaitMs = 500;

/** Submissions that one transaction erases: 20 to 40 ms. Of so many the words are left to the merge of the index. */
export const erasedAtOnce = 50;

/** Takes over a connection that is configured and migrated. */
export function makeSqliteStore(
  connection: SqliteConnection,
  { clock, onCommit, readMs = operatorsReadMs }: Omit<OpenOptions, "access">,
): Store {
  const [row] = connection.query<StoreRow>(storeRow);
  if (row === undefined) throw new StorageUnavailable("The database has lost its row in the table store.");
  const references = new References(row.referenceKey);
  const probe = connection.prepare<[]>("UPDATE store SET probe = probe + 1");
  const acceptAll = (entries: readonly AddressedEntry[]) => (entries.length === 0 ? [] : accept(entries));
  const queue = makeJobQueue(connection, acceptAll, onCommit);
  const run: RunJob = (job, options) => queue.run(job, options) as Promise<ReturnType<typeof job>>;
  const engine = makeEngine(connection, run);
  const accept = prepareAccept(connection, engine, references);

  // Commands never ask.
  let touch: (() => void) | undefined;

  const thread = makeReadingThread(connection, readMs);
  return {
    ...makeSharedStore({
      row,
      references,
      engine,
      // A command that only reads needs no thread: no request waits for its event loop.
      reading: connection.access === "read-only" ? engine : readingBy(engine, thread),
      inbox,
      clock,
      searchIndex: prepareSearchIndex(engine),
      // By the index: to sort would take long for a person with many.
      erasing: { atOnce: erasedAtOnce, order: "" },
      async prove() {
        // The commit compares the files as well, but would wait for the write lock before.
        connection.assertSameFile();
        // Apart from the jobs of others, which would fail with it.
        await retryWhileBusy(() => (touch ??= prepareTouches(connection))());
        await run(() => probe.run(), { deadline: performance.now() + readinessWaitMs });
      },
    }),
    clock,

    get commitCounts() {
      return queue.counts;
    },

    // The entry has its own deadline.
    accept: (entry) => queue.run(addressed(entry), entry) as Promise<Acceptance>,

    async [Symbol.asyncDispose]() {
      await queue.close();
      await thread[Symbol.asyncDispose]();
      connection[Symbol.dispose]();
    },
  };
}

/** Entries of the index of addresses that a probe reads: 0.3 ms. They come in no order, so the next probe goes on behind. */
const entriesAtOnce = 2_000;

/**
 * Prepares to read, at each readiness probe, the pages that accepting will read and write, so that a damaged one is met by
 * the probe: the last entry of each table and index, and in turn all entries of the index of addresses.
 * @returns a function that throws SQLite's error at a damaged page, and the next time again
 */
function prepareTouches(connection: SqliteConnection): () => void {
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
