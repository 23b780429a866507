// The SQLite engine of the store: every method is one job of the commit queue, or one short read.
import type { Clock } from "../../clock.ts";
import type { RunOptions } from "../commit-queue.ts";
import { References } from "../rules/references.ts";
import { StorageUnavailable, type Store } from "../store.ts";
import { prepareAcceptor } from "./accept.ts";
import { makeAccess } from "./access.ts";
import { prepareAnnouncements } from "./announcements.ts";
import { backupDatabase } from "./backup.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { makeDesk } from "./desk.ts";
import { makeHousekeeping } from "./housekeeping.ts";
import { makeJobQueue, type RunJob } from "./jobs.ts";
import { prepareLeaveSpam } from "./leave-spam.ts";
import { makeOutbox } from "./outbox.ts";
import { makeOversight } from "./oversight.ts";
import { makeReading } from "./reading.ts";
import { makeResumes } from "./resumes.ts";
import { makeLinks } from "./subscribers.ts";
import { prepareSuppressions } from "./suppression.ts";
import { makeWebhooks } from "./webhooks.ts";

/** How long the readiness check waits for the write lock. A probe gives up soon. */
const readinessWaitMs = 500;

/** Takes over a connection that is configured and migrated. */
export function makeSqliteStore(connection: SqliteConnection, clock: Clock): Store {
  const [store] = connection.query<{ identity: string; referenceKey: string }>(
    "SELECT identity, reference_key AS referenceKey FROM store",
  );
  if (store === undefined) throw new StorageUnavailable("The database has lost its row in the table store.");
  connection.syncApart();
  const references = new References(store.referenceKey);
  const announcements = prepareAnnouncements(connection);
  const acceptor = prepareAcceptor(connection, { references, announcements });
  const suppressions = prepareSuppressions(connection, announcements);
  const probe = connection.prepare<[]>("UPDATE store SET probe = probe + 1");
  const queue = makeJobQueue(connection, {
    begin() {
      acceptor.begin();
      announcements.begin();
    },
    end: acceptor.end,
  });
  const run: RunJob = <T>(job: () => T, options?: RunOptions) => queue.run(job, options) as Promise<T>;

  return {
    identity: store.identity,
    clock,
    desk: makeDesk(connection, run, {
      references,
      leaveSpam: prepareLeaveSpam(connection, { acceptor, announcements }),
    }),
    access: makeAccess(connection, run),
    webhooks: makeWebhooks(connection, run),
    ...makeReading(connection, references),
    ...makeLinks(connection, run, announcements),
    ...makeOutbox(connection, run, suppressions),
    ...makeOversight(connection, run),
    ...makeResumes(connection, run),
    ...makeHousekeeping(connection, run),

    get commitCounts() {
      return queue.counts;
    },

    accept(entry) {
      const { deadline, waitMs } = entry;
      return run(() => acceptor.accept(entry), { deadline, waitMs });
    },

    findEarlier(key) {
      const find = () => acceptor.findEarlier(key);
      // A caller is answered with what is found, so it must be on the disk.
      return connection.mayHaveGap ? run(find) : retryWhileBusy(find);
    },

    suppress: (change) => run(() => suppressions.note(change)),

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

    async backup(file) {
      connection.assertSameFile();
      await backupDatabase(connection.file, file);
    },

    /** Waits for what was handed in, then closes; a second call waits for the same. */
    async [Symbol.asyncDispose]() {
      await queue.close();
      connection[Symbol.dispose]();
    },
  };
}
