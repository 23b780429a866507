// The SQLite engine of the store: every method is one job of the commit queue, or one short read.
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../clock.ts";
import { reached } from "../../failpoint.ts";
import type { AccessStore } from "../access-store.ts";
import { CommitQueue, type RunOptions } from "../commit-queue.ts";
import type { DeskStore } from "../desk-store.ts";
import { inSteps } from "../pages.ts";
import type {
  Digest,
  EarlierSubmission,
  FollowedLink,
  IdempotencyRecord,
  LeasedMail,
  LinkPurpose,
  MailSettlement,
  StoredMail,
  StoredResume,
  StoredSubmission,
  StoredSubscriber,
  SubmissionKind,
  SuppressionChange,
} from "../records.ts";
import { settlementWaitMs } from "../rules/mails.ts";
import { References } from "../rules/references.ts";
import {
  type Acceptance,
  type CommitCounts,
  type Entry,
  type Lease,
  type ReadFrom,
  type ReadinessReport,
  StorageUnavailable,
  type Store,
} from "../store.ts";
import type { WebhookStore } from "../webhook-store.ts";
import { type Announcements, prepareAnnouncements } from "./announcements.ts";
import { makeAccess } from "./access.ts";
import { type Acceptor, prepareAcceptor } from "./accept.ts";
import { backupDatabase } from "./backup.ts";
import { busyWaitMs, retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { makeDesk } from "./desk.ts";
import { asUnavailable, isBusy } from "./errors.ts";
import { type Housekeeping, prepareHousekeeping } from "./housekeeping.ts";
import { firstPlace, type Outbox, prepareOutbox } from "./outbox.ts";
import { type Oversight, prepareOversight } from "./oversight.ts";
import { prepareReading, type Reading } from "./reading.ts";
import { prepareLeaveSpam } from "./leave-spam.ts";
import { prepareResumes, type Resumes } from "./resumes.ts";
import { type Links, prepareLinks, prepareSubscribers } from "./subscribers.ts";
import { prepareSuppressions, type Suppressions } from "./suppression.ts";
import { makeWebhooks } from "./webhooks.ts";

/** Most jobs in one transaction: with mails to settle among them it takes some milliseconds. */
const batchMax = 256;

/** How long the readiness check waits for the write lock. A probe gives up soon. */
const readinessWaitMs = 500;

/** Pause between two batches of work that can wait, so that another process gets the write lock. */
const batchPauseMs = 2;

type Job = () => unknown;

export class SqliteStore implements Store {
  readonly identity: string;
  readonly clock: Clock;
  readonly desk: DeskStore;
  readonly access: AccessStore;
  readonly webhooks: WebhookStore;
  readonly #connection: SqliteConnection;
  readonly #queue: CommitQueue<Job, unknown>;
  readonly #acceptor: Acceptor;
  readonly #announcements: Announcements;
  readonly #reading: Reading;
  readonly #links: Links;
  readonly #suppressions: Suppressions;
  readonly #outbox: Outbox;
  readonly #oversight: Oversight;
  readonly #resumes: Resumes;
  readonly #housekeeping: Housekeeping;
  readonly #probe: () => void;
  /** Where the search for mails that have had their time goes on. */
  #nextMail = 0;

  /** Takes over a connection that is configured and migrated. */
  constructor(connection: SqliteConnection, clock: Clock) {
    const [store] = connection.query<{ identity: string; reference_key: string }>(
      "SELECT identity, reference_key FROM store",
    );
    if (store === undefined) throw new StorageUnavailable("The database has lost its row in the table store.");
    const references = new References(store.reference_key);
    this.identity = store.identity;
    this.clock = clock;
    this.#connection = connection;
    connection.syncApart();
    const announcements = prepareAnnouncements(connection);
    const subscribers = prepareSubscribers(connection);
    this.#announcements = announcements;
    this.#acceptor = prepareAcceptor(connection, { references, subscribers, announcements });
    this.#reading = prepareReading(connection, references);
    const leaveSpam = prepareLeaveSpam(connection, { acceptor: this.#acceptor, announcements });
    this.#links = prepareLinks(connection, announcements);
    this.#suppressions = prepareSuppressions(connection, this.#links, announcements);
    this.#outbox = prepareOutbox(connection, this.#suppressions);
    this.#oversight = prepareOversight(connection);
    this.#resumes = prepareResumes(connection);
    this.#housekeeping = prepareHousekeeping(connection);
    const probe = connection.prepare<[]>("UPDATE store SET probe = probe + 1");
    this.#probe = () => void probe.run();
    this.#queue = new CommitQueue<Job, unknown>({
      batchMax,
      atOnce: 1,
      busyMs: busyWaitMs,
      isBusy,
      asUnavailable,
      commit: (jobs) => this.#commit(jobs),
    });
    const run = <T>(job: () => T): Promise<T> => this.#run(job);
    this.desk = makeDesk(connection, run, { references, leaveSpam, oversight: this.#oversight });
    this.access = makeAccess(connection, run);
    this.webhooks = makeWebhooks(connection, run);
  }

  async #commit(jobs: readonly Job[]): Promise<readonly unknown[]> {
    const results = this.#transaction(jobs);
    await this.#connection.sync();
    return results;
  }

  #transaction(jobs: readonly Job[]): readonly unknown[] {
    try {
      this.#connection.begin();
      this.#acceptor.begin();
      this.#announcements.begin();
      const results = jobs.map((job) => job());
      this.#acceptor.end();
      this.#connection.commit();
      return results;
    } catch (error) {
      this.#undo();
      throw error;
    }
  }

  /** @throws StorageUnavailable when the disk refuses this as well; the next transaction tries it again */
  #undo(): void {
    try {
      this.#connection.rollback();
    } catch (error) {
      throw asUnavailable(error) ?? new StorageUnavailable("The transaction cannot be undone.", { cause: error });
    }
  }

  /** The job is run in the next transaction, and again if that has to be undone because of another one. */
  #run<T>(job: () => T, options?: RunOptions): Promise<T> {
    return this.#queue.run(job, options) as Promise<T>;
  }

  get commitCounts(): CommitCounts {
    return this.#queue.counts;
  }

  accept(entry: Entry): Promise<Acceptance> {
    const { deadline, waitMs } = entry;
    return this.#run(() => this.#acceptor.accept(entry), { deadline, waitMs });
  }

  storeDigest(digest: Digest, now: number): Promise<boolean> {
    return this.#run(() => this.#outbox.storeDigest(digest, now));
  }

  findEarlier(key: IdempotencyRecord): Promise<EarlierSubmission | null> {
    const find = () => this.#acceptor.findEarlier(key);
    // A caller is answered with what is found, so it must be on the disk.
    return this.#connection.mayHaveGap ? this.#run(find) : retryWhileBusy(find);
  }

  findSubmission(reference: string): Promise<StoredSubmission | null> {
    return retryWhileBusy(() => this.#reading.find(reference));
  }

  checkLink(purpose: LinkPurpose, link: FollowedLink): Promise<boolean> {
    return retryWhileBusy(() => this.#links.works(purpose, link));
  }

  confirmSubscription(link: FollowedLink): Promise<boolean> {
    return this.#run(() => this.#links.confirm(link));
  }

  unsubscribe(link: FollowedLink): Promise<boolean> {
    return this.#run(() => this.#links.unsubscribe(link));
  }

  suppress(change: SuppressionChange): Promise<boolean> {
    return this.#run(() => this.#suppressions.note(change));
  }

  async claimDueMails(now: number, limit: number, lease: Lease): Promise<LeasedMail[]> {
    const claimed = await this.#run(() => this.#outbox.claim(now, limit, lease));
    if (claimed.length > 0) reached("mail-claimed");
    return claimed;
  }

  renewLeases(ids: readonly string[], lease: Lease): Promise<ReadonlySet<string>> {
    return this.#run(() => this.#outbox.renew(ids, lease));
  }

  async settleMails(settlements: readonly MailSettlement[], owner: string): Promise<void> {
    await this.#run(() => this.#outbox.settle(settlements, owner), { waitMs: settlementWaitMs });
    reached("mail-settled");
  }

  releaseMails(owner: string, now: number): Promise<void> {
    return inSteps(firstPlace, (after) => this.#run(() => this.#outbox.giveBack(owner, now, after)));
  }

  async retryMails(which: Parameters<Store["retryMails"]>[0], now: number): Promise<number> {
    if ("id" in which) return Number(await this.#run(() => this.#oversight.wakeOne(which.id, now)));
    let all = 0;
    await inSteps(0, async (after) => {
      const { woken, last } = await this.#run(() => this.#oversight.wakeBatch(which.status, now, after));
      all += woken;
      if (last !== null) await pause(batchPauseMs);
      return last;
    });
    return all;
  }

  listMails(filter: Parameters<Store["listMails"]>[0]): Promise<StoredMail[]> {
    return this.#oversight.list(filter);
  }

  mailBacklog(): ReturnType<Store["mailBacklog"]> {
    return this.#oversight.backlog();
  }

  readSubmissions<Kind extends SubmissionKind>(
    kind: Kind,
    from: ReadFrom,
  ): AsyncIterable<readonly Extract<StoredSubmission, { kind: Kind }>[]> {
    return this.#reading.submissions(kind, from);
  }

  readSubscribers(from: ReadFrom): AsyncIterable<readonly StoredSubscriber[]> {
    return this.#reading.subscribers(from);
  }

  findResume(reference: string): Promise<StoredResume | null> {
    return retryWhileBusy(() => this.#reading.findResume(reference));
  }

  claimUnscanned(now: number, limit: number, until: number): ReturnType<Store["claimUnscanned"]> {
    return this.#run(() => this.#resumes.claimUnscanned(now, limit, until));
  }

  recordScan(key: string, verdict: "clean" | "infected"): Promise<void> {
    return this.#run(() => this.#resumes.recordScan(key, verdict));
  }

  knownResumeKeys(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return retryWhileBusy(() => this.#resumes.knownAmong(keys));
  }

  async forgetExpired(now: number): ReturnType<Store["forgetExpired"]> {
    const { nextMail, ...forgotten } = await this.#run(() => this.#housekeeping.forget(now, this.#nextMail));
    this.#nextMail = nextMail;
    return forgotten;
  }

  async checkReadiness(): Promise<ReadinessReport> {
    try {
      // The commit compares the files as well, but would wait for the write lock before.
      this.#connection.assertSameFile();
      await this.#run(this.#probe, { deadline: performance.now() + readinessWaitMs });
      return { ready: true };
    } catch (error) {
      if (error instanceof StorageUnavailable) return { ready: false, reason: error.message };
      throw error;
    }
  }

  async backup(file: string): Promise<void> {
    this.#connection.assertSameFile();
    await backupDatabase(this.#connection.file, file);
  }

  /** Waits for what was handed in, then closes; a second call waits for the same. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
    this.#connection[Symbol.dispose]();
  }
}
