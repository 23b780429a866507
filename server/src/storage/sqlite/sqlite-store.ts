// The SQLite engine of the store: every method is one job of the commit queue, or one short read.
import type { Clock } from "../../clock.ts";
import type { RunOptions } from "../commit-queue.ts";
import { References } from "../rules/references.ts";
import { makeAccess } from "../sql/access.ts";
import { makeEarlier } from "../sql/accepting.ts";
import { makeAuditLog } from "../sql/audit.ts";
import { makeBelongings } from "../sql/belongings.ts";
import { makeChanges } from "../sql/changes.ts";
import { makeErasing } from "../sql/erasing.ts";
import { makeHeld } from "../sql/held.ts";
import { makeHousekeeping } from "../sql/housekeeping.ts";
import { makeInboxLists } from "../sql/inbox-list.ts";
import { makeLinks } from "../sql/links.ts";
import { makeLists } from "../sql/lists.ts";
import { makeMails } from "../sql/mails.ts";
import { makeOutbox } from "../sql/outbox.ts";
import { makeOverview } from "../sql/overview.ts";
import { makeReading } from "../sql/reading.ts";
import { makeReplies } from "../sql/replies.ts";
import { makeResumes } from "../sql/resumes.ts";
import { makeIndexing } from "../sql/search-index.ts";
import { prepareSuppressions } from "../sql/suppression.ts";
import { makeTags } from "../sql/tags.ts";
import { deliveryTable, makeWebhooks } from "../sql/webhooks.ts";
import {
  type Acceptance,
  type CommitListener,
  type Entry,
  operatorsReadMs,
  StorageUnavailable,
  type Store,
} from "../store.ts";
import { prepareAccept } from "./accept.ts";
import type { SqliteConnection } from "./connection.ts";
import { makeEngine, readingBy, runSteps } from "./engine.ts";
import { inbox, prepareSearchIndex } from "./inbox.ts";
import { makeJobQueue, type RunJob } from "./jobs.ts";
import { type Reader, readerOf, ReadingThread } from "./reading-thread.ts";

/** How long the readiness check waits for the write lock. A probe gives up soon. */
const readinessWaitMs = 500;

/** Submissions that one transaction erases. Each takes 8 to 22 ms to be removed from the search. */
export const erasedAtOnce = 4;

/**
 * Takes over a connection that is configured and migrated.
 *
 * @param readMs how long one statement of what operators read may take
 */
export function makeSqliteStore(
  connection: SqliteConnection,
  clock: Clock,
  onCommit?: CommitListener,
  readMs: number = operatorsReadMs,
): Store {
  const [store] = connection.query<{ identity: string; referenceKey: string; cookieKey: string }>(
    "SELECT identity, reference_key AS referenceKey, cookie_key AS cookieKey FROM store",
  );
  if (store === undefined) throw new StorageUnavailable("The database has lost its row in the table store.");
  const references = new References(store.referenceKey);
  const probe = connection.prepare<[]>("UPDATE store SET probe = probe + 1");
  const acceptAll = (entries: readonly Entry[]) => (entries.length === 0 ? [] : runSteps(accept(entries)));
  const queue = makeJobQueue(connection, acceptAll, onCommit);
  const run: RunJob = <T>(job: () => T, options?: RunOptions) => queue.run(job, options) as Promise<T>;
  const engine = makeEngine(connection, run);
  const accept = prepareAccept(engine, references);
  const suppressions = prepareSuppressions(engine);
  const searchIndex = prepareSearchIndex(engine);

  // Lists do not wait for exports.
  const threads = [new ReadingThread(connection, readMs), new ReadingThread(connection, readMs)] as const;
  const [lists, exports] = connection.access === "read-only" ? [readerOf(connection), readerOf(connection)] : threads;
  const forLists = readingBy(engine, lists);
  function readsBy(reader: Reader) {
    const by = readingBy(engine, reader);
    return {
      ...makeInboxLists(by, references, inbox),
      ...makeBelongings(by, references),
      ...makeAuditLog(by),
    };
  }
  const { listWhole, readAudit, readPerson } = readsBy(exports);

  return {
    identity: store.identity,
    clock,
    desk: {
      ...readsBy(lists),
      listWhole,
      readAudit,
      readPerson,
      ...makeLists(forLists),
      ...makeOverview(forLists),
      // Of the housekeeping, which begins no thread.
      countSubscribers: makeOverview(engine).countSubscribers,
      ...makeChanges(engine, references),
      ...makeTags(forLists, references),
      ...makeErasing(engine, {
        atOnce: erasedAtOnce,
        // By the index: to sort would take long for a person with many.
        order: "",
        removeWords: searchIndex.removeWords,
      }),
      ...makeIndexing(engine, searchIndex),
    },
    replies: makeReplies(engine, references),
    access: makeAccess(engine, store.cookieKey),
    webhooks: makeWebhooks(forLists),
    deliveries: makeOutbox(engine, deliveryTable),
    ...makeEarlier(engine),
    ...makeReading(readingBy(engine, exports)),
    ...makeLinks(engine),
    ...makeMails(engine, suppressions.noteRefusal),
    ...makeResumes(engine),
    ...makeHousekeeping(engine),
    ...makeHeld(engine),

    get commitCounts() {
      return queue.counts;
    },

    accept: (entry) => queue.run(entry, entry) as Promise<Acceptance>,

    suppress: (change) => engine.transaction(() => suppressions.note(change)),

    async checkReadiness() {
      try {
        // The commit compares the files as well, but would wait for the write lock before.
        connection.assertSameFile();
        await run(() => probe.run(), { deadline: performance.now() + readinessWaitMs });
        return { ready: true };
      } catch (error) {
        if (error instanceof StorageUnavailable) return { ready: false, reason: error.message };
        throw error;
      }
    },

    /** Waits for what was handed in, then closes; a second call waits for the same. */
    async [Symbol.asyncDispose]() {
      await queue.close();
      await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
      connection[Symbol.dispose]();
    },
  };
}
