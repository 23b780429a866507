// The SQLite engine of the store: every method is one job in the commit queue, or one short read. Knows which tables a
// method touches, not how.
import type {
  ChallengeRecord,
  EarlierSubmission,
  FollowedLink,
  IdempotencyRecord,
  LeasedMail,
  LinkPurpose,
  MailSettlement,
  MailStatus,
  NewMail,
  ReferencedSubmission,
  StoredApplication,
  StoredInquiry,
  StoredMail,
  StoredResume,
  StoredSubscriber,
  SuppressionChange,
} from "../records.ts";
import { emailKey } from "@submissions/shared/fields";
import type { ReferenceKind } from "@submissions/shared/reference";
import { reached } from "../../failpoint.ts";
import type { CommitCounts } from "../commit-counts.ts";
import { type Position, readPages, receivedPosition, subscribedPosition } from "../pages.ts";
import { createQueries } from "../queries/compile.ts";
import { findFreeNumbers } from "../references.ts";
import { applicationRow } from "../rows/applications.ts";
import { inquiryRow } from "../rows/marketplace.ts";
import { mailRow } from "../rows/outbox.ts";
import type { MailTable } from "../schema.ts";
import {
  type Acceptance,
  type Accepted,
  type ChallengeSpent,
  type Lease,
  type NotSpam,
  type ReadinessReport,
  type Repeated,
  StorageUnavailable,
  type Store,
} from "../store.ts";
import { addresseesOf, type MayMail } from "./addressees.ts";
import { type Applications, applicationsOf } from "./applications.ts";
import { backupDatabase } from "./backup.ts";
import { retryWhileBusy } from "./busy.ts";
import { type SpentChallenges, spentChallengesOf } from "./challenges.ts";
import { CommitQueue } from "./commit-queue.ts";
import type { SqliteConnection } from "./connection.ts";
import { type IdempotencyKeys, idempotencyKeysOf } from "./idempotency.ts";
import { inquiriesOf, type Inquiries } from "./marketplace.ts";
import { type Subscribers, subscribersOf } from "./newsletter.ts";
import { type NewsletterLinks, newsletterLinksOf } from "./newsletter-links.ts";
import { type Outbox, outboxOf } from "./outbox.ts";
import { type Engine, sqliteDialect } from "./queries.ts";
import { findFreeWithin } from "./references.ts";
import { type Suppressions, suppressionsOf } from "./suppression.ts";

/** How long the readiness check waits for the write lock; whoever asks wants an answer, not the last try. */
const readinessWaitMs = 500;

/** What a submission can be made with once only. */
interface Once {
  readonly key: IdempotencyRecord | null | undefined;
  readonly challenge: ChallengeRecord | null | undefined;
}

/** What is stored beside a submission. */
interface Accompaniment extends Once {
  readonly mails: readonly NewMail[];
  readonly lease: Lease;
}

export class SqliteStore implements Store {
  readonly #engine: Engine;
  readonly #queue: CommitQueue;
  readonly #inquiries: Inquiries;
  readonly #applications: Applications;
  readonly #subscribers: Subscribers;
  readonly #links: NewsletterLinks;
  readonly #suppressions: Suppressions;
  readonly #outbox: Outbox;
  readonly #keys: IdempotencyKeys;
  readonly #challenges: SpentChallenges;
  readonly #mayMail: MayMail;

  /** Takes over a connection that is configured and migrated. */
  constructor(connection: SqliteConnection) {
    this.#engine = { connection, queries: createQueries(sqliteDialect) };
    this.#queue = new CommitQueue(connection);
    this.#inquiries = inquiriesOf(this.#engine);
    this.#applications = applicationsOf(this.#engine);
    this.#subscribers = subscribersOf(this.#engine);
    this.#links = newsletterLinksOf(this.#engine);
    this.#suppressions = suppressionsOf(this.#engine);
    this.#outbox = outboxOf(this.#engine);
    this.#keys = idempotencyKeysOf(this.#engine);
    this.#challenges = spentChallengesOf(this.#engine);
    this.#mayMail = addresseesOf(this.#engine);
  }

  get commitCounts(): CommitCounts {
    return this.#queue.counts;
  }

  async acceptInquiry(
    ...[inquiry, mails, lease, key, challenge]: Parameters<Store["acceptInquiry"]>
  ): Promise<Acceptance> {
    const row = inquiryRow(inquiry);
    return this.#accept(inquiry, () => this.#inquiries.insert(row), { mails, lease, key, challenge });
  }

  async acceptApplication(
    ...[application, mails, lease, key, challenge]: Parameters<Store["acceptApplication"]>
  ): Promise<Acceptance> {
    const row = applicationRow(application);
    return this.#accept(application, () => this.#applications.insert(row), { mails, lease, key, challenge });
  }

  #accept(
    { reference, receivedAt }: { readonly reference: string; readonly receivedAt: number },
    insert: () => boolean,
    { mails, lease, ...once }: Accompaniment,
  ): Promise<Acceptance> {
    const rows = mails.map((mail) => mailRow(mail, receivedAt, lease));
    return this.#queue.run(() => {
      const used = this.#used(once);
      if (used !== null) return used;
      if (!insert()) return { result: "reference-taken" };
      reached("row-written");
      const stored = this.#storeMails(rows, receivedAt);
      this.#use(once, reference, stored.find((row) => row.automatic_to !== null)?.id);
      reached("before-commit");
      return { result: "accepted", mails: stored.map((row) => row.id) };
    });
  }

  async acceptSubscription(
    ...[subscription, welcome, lease, key, challenge]: Parameters<Store["acceptSubscription"]>
  ): Promise<Accepted | Repeated | ChallengeSpent> {
    const row = mailRow(welcome, subscription.receivedAt, lease);
    return this.#queue.run(() => {
      const used = this.#used({ key, challenge });
      if (used !== null) return used;
      const mailable = this.#mayMail(emailKey(subscription.email), subscription.receivedAt);
      const mailed = this.#subscribers.subscribe(subscription, mailable);
      reached("row-written");
      if (mailed) this.#outbox.insert(row);
      this.#use({ key, challenge }, null, mailed ? row.id : undefined);
      reached("before-commit");
      return { result: "accepted", mails: mailed ? [row.id] : [] };
    });
  }

  acceptNothing(
    ...[key, challenge]: Parameters<Store["acceptNothing"]>
  ): Promise<Accepted | Repeated | ChallengeSpent> {
    return this.#queue.run(() => {
      const used = this.#used({ key, challenge });
      if (used !== null) return used;
      this.#use({ key, challenge }, null);
      return { result: "accepted", mails: [] };
    });
  }

  // The key first: who repeats a submission repeats its solution with it.
  #used({ key, challenge }: Once): Repeated | ChallengeSpent | null {
    if (key && this.#keys.isTaken(key)) return { result: "repeated" };
    return challenge && this.#challenges.has(challenge) ? { result: "challenge-spent" } : null;
  }

  #use({ key, challenge }: Once, reference: string | null, receiptMail: string | null = null): void {
    if (key) this.#keys.take(key, reference, receiptMail);
    if (challenge) this.#challenges.add(challenge);
  }

  checkLink(purpose: LinkPurpose, link: FollowedLink): Promise<boolean> {
    return retryWhileBusy(() => this.#links.works(purpose, link));
  }

  confirmSubscription(link: FollowedLink): Promise<boolean> {
    return this.#queue.run(() => this.#links.confirm(link));
  }

  unsubscribe(link: FollowedLink): Promise<boolean> {
    return this.#queue.run(() => this.#links.unsubscribe(link));
  }

  suppress(change: SuppressionChange): Promise<boolean> {
    return this.#queue.run(() => this.#suppressions.note(change));
  }

  findSubmission(reference: string): Promise<ReferencedSubmission | null> {
    return retryWhileBusy(() => {
      const inquiry = this.#inquiries.find(reference);
      if (inquiry !== null) return { kind: "inquiry", inquiry };
      const application = this.#applications.find(reference);
      return application === null ? null : { kind: "application", application };
    });
  }

  releaseSpam(reference: string, mails: readonly NewMail[], releasedAt: number): Promise<Accepted | NotSpam> {
    const rows = mails.map((mail) => mailRow(mail, releasedAt, null));
    return this.#queue.run(() => {
      if (!this.#inquiries.release(reference) && !this.#applications.release(reference)) return { result: "not-spam" };
      return { result: "accepted", mails: this.#storeMails(rows, releasedAt).map((row) => row.id) };
    });
  }

  // Leaves out automatic mails that their addressee may not get.
  #storeMails(rows: readonly MailTable[], now: number): readonly MailTable[] {
    const stored = rows.filter((row) => row.automatic_to === null || this.#mayMail(row.automatic_to, now).allowed);
    for (const row of stored) this.#outbox.insert(row);
    return stored;
  }

  findIdempotency(procedure: string, keyHash: string, since: number): Promise<EarlierSubmission | null> {
    return retryWhileBusy(() => this.#keys.find(procedure, keyHash, since));
  }

  forgetIdempotency(before: number): Promise<number> {
    return this.#queue.run(() => this.#keys.forget(before));
  }

  forgetChallenges(before: number): Promise<number> {
    return this.#queue.run(() => this.#challenges.forget(before));
  }

  freeReferenceNumbers(kind: ReferenceKind, day: string, count: number): Promise<number[]> {
    return findFreeNumbers(count, (range, limit) =>
      retryWhileBusy(() => findFreeWithin(this.#engine, kind, day, range, limit)),
    );
  }

  async claimDueMails(now: number, limit: number, lease: Lease): Promise<LeasedMail[]> {
    const claimed = await this.#queue.run(() => this.#outbox.claim(now, limit, lease));
    if (claimed.length > 0) reached("mail-claimed");
    return claimed;
  }

  async settleMails(settlements: readonly MailSettlement[], owner: string): Promise<void> {
    await this.#queue.run(() => {
      for (const settlement of settlements) {
        // First: settling gives the lease away, by which the mail is known to be the owner's.
        if (settlement.result === "failed" && settlement.inactiveRecipient)
          this.#suppressions.noteRefusal(settlement, owner);
        this.#outbox.settle(settlement, owner);
      }
    });
    reached("mail-settled");
  }

  releaseMails(owner: string, now: number): Promise<void> {
    return this.#queue.run(() => this.#outbox.release(owner, now));
  }

  retryMails(which: Parameters<Store["retryMails"]>[0], now: number): Promise<number> {
    return this.#queue.run(() => this.#outbox.retry(which, now));
  }

  listMails(filter: { readonly status?: MailStatus; readonly limit: number }): Promise<StoredMail[]> {
    return retryWhileBusy(() => this.#outbox.list(filter));
  }

  mailBacklog(): ReturnType<Store["mailBacklog"]> {
    return retryWhileBusy(() => this.#outbox.backlog());
  }

  exportInquiries(since: number): AsyncIterable<StoredInquiry> {
    return readPages(since, unlessBusy(this.#inquiries.readPage), receivedPosition);
  }

  exportApplications(since: number): AsyncIterable<StoredApplication> {
    return readPages(since, unlessBusy(this.#applications.readPage), receivedPosition);
  }

  exportSubscribers(since: number): AsyncIterable<StoredSubscriber> {
    return readPages(since, unlessBusy(this.#subscribers.readPage), subscribedPosition);
  }

  findResume(reference: string): Promise<StoredResume | null> {
    return retryWhileBusy(() => this.#applications.findResume(reference));
  }

  unscannedResumes(limit: number): Promise<{ reference: string; key: string }[]> {
    return retryWhileBusy(() => this.#applications.unscanned(limit));
  }

  recordScan(key: string, verdict: "clean" | "infected"): Promise<void> {
    return this.#queue.run(() => this.#applications.recordScan(key, verdict));
  }

  knownResumeKeys(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return retryWhileBusy(() => this.#applications.knownResumeKeys(keys));
  }

  async checkReadiness(): Promise<ReadinessReport> {
    const probe = this.#engine.queries.updateTable("probe").set((is) => ({ writes: is("writes", "+", 1) }));
    try {
      // The commit compares the files as well, but only here it is said before waiting for a lock.
      this.#engine.connection.assertSameFile();
      await this.#queue.run(() => this.#engine.connection.run(probe.compile()), readinessWaitMs);
      return { ready: true };
    } catch (error) {
      if (error instanceof StorageUnavailable) return { ready: false, reason: error.message };
      throw error;
    }
  }

  async backup(file: string): Promise<void> {
    this.#engine.connection.assertSameFile();
    await backupDatabase(this.#engine.connection.file, file);
  }

  /** Waits for what was handed in, then closes; a second call waits for the same. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
    this.#engine.connection.close();
  }
}

type ReadPage<Row> = (after: Position, limit: number) => readonly Row[];

const unlessBusy =
  <Row>(read: ReadPage<Row>) =>
  (after: Position, limit: number): Promise<readonly Row[]> =>
    retryWhileBusy(() => read(after, limit));
