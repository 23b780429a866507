// The PostgreSQL engine of the store: submissions share transactions in the commit queue, every other method is a
// transaction of its own, or one read. Any number of processes may use one database.
import { emailKey } from "@submissions/shared/fields";
import type { ReferenceKind } from "@submissions/shared/reference";
import { sql } from "kysely";
import { reached } from "../../failpoint.ts";
import type { CommitCounts } from "../commit-counts.ts";
import { readPages, receivedPosition, subscribedPosition } from "../pages.ts";
import { applicationQueries } from "../queries/applications.ts";
import { createQueries, type Queries } from "../queries/compile.ts";
import { onceQueries } from "../queries/idempotency.ts";
import { receivedQueries } from "../queries/received.ts";
import { subscriberQueries } from "../queries/newsletter.ts";
import { outboxQueries } from "../queries/outbox.ts";
import type {
  ChallengeRecord,
  EarlierSubmission,
  FollowedLink,
  IdempotencyRecord,
  LeasedMail,
  LinkPurpose,
  MailSettlement,
  NewMail,
  ReferencedSubmission,
  StoredApplication,
  StoredInquiry,
  StoredMail,
  StoredResume,
  StoredSubscriber,
  SuppressionChange,
} from "../records.ts";
import { findFreeNumbers } from "../references.ts";
import { applicationRow, storedApplication, storedResume } from "../rows/applications.ts";
import { earlierSubmission, idempotencyRow, spentChallengeRow } from "../rows/idempotency.ts";
import { inquiryRow, storedInquiry } from "../rows/marketplace.ts";
import { storedSubscriber } from "../rows/newsletter.ts";
import { mailRow, storedMail } from "../rows/outbox.ts";
import {
  type Acceptance,
  type Accepted,
  BackupElsewhere,
  type ChallengeSpent,
  type Lease,
  type NotSpam,
  type ReadinessReport,
  type Repeated,
  StorageUnavailable,
  type Store,
} from "../store.ts";
import { acceptAll, contendedBy, evidenceOf, type Submission } from "./acceptance.ts";
import { Addressees, automaticKeys, lockAddresses } from "./addressees.ts";
import { inBatches } from "./batches.ts";
import { CommitQueue } from "./commit-queue.ts";
import type { Connections, Limits } from "./connections.ts";
import { forgetRows } from "./forgetting.ts";
import { type NewsletterLinks, newsletterLinksOf } from "./newsletter-links.ts";
import { type Outbox, outboxOf } from "./outbox.ts";
import { anyOf, insertAll, postgresDialect } from "./queries.ts";
import { findFreeWithin } from "./references.ts";
import { noteNews } from "./suppression.ts";

/** Whoever asks whether submissions can be stored wants an answer, not the last try. */
const readinessLimits: Limits = { statementMs: 500, lockMs: 500, idleMs: 1_000 };

interface PostgresStoreOptions {
  /** Transactions with submissions at the same time; the other connections are for everything else. */
  readonly transactionsAtOnce: number;
}

export class PostgresStore implements Store {
  readonly #connections: Connections;
  readonly #queries: Queries;
  readonly #queue: CommitQueue<Submission, Acceptance>;
  readonly #links: NewsletterLinks;
  readonly #outbox: Outbox;

  /** Takes over connections to a database that is migrated. */
  constructor(connections: Connections, { transactionsAtOnce }: PostgresStoreOptions) {
    const queries = createQueries(postgresDialect);
    this.#connections = connections;
    this.#queries = queries;
    this.#queue = new CommitQueue({
      atOnce: transactionsAtOnce,
      contendedBy,
      commit: (submissions) =>
        connections.transaction((session) => acceptAll(queries, session, submissions), {
          evidence: (answers) => evidenceOf(queries, submissions, answers),
        }),
    });
    this.#links = newsletterLinksOf(connections, queries);
    this.#outbox = outboxOf(queries);
  }

  get commitCounts(): CommitCounts {
    return { ...this.#queue.counts, busyTries: this.#connections.triesAgain };
  }

  async acceptInquiry(
    ...[inquiry, mails, lease, key, challenge]: Parameters<Store["acceptInquiry"]>
  ): Promise<Acceptance> {
    const rows = mails.map((mail) => mailRow(mail, inquiry.receivedAt, lease));
    const once = onceRows(key, challenge, inquiry.reference, automaticId(rows));
    return this.#queue.run({ inquiry: inquiryRow(inquiry), at: inquiry.receivedAt, mails: rows, ...once });
  }

  async acceptApplication(
    ...[application, mails, lease, key, challenge]: Parameters<Store["acceptApplication"]>
  ): Promise<Acceptance> {
    const rows = mails.map((mail) => mailRow(mail, application.receivedAt, lease));
    const once = onceRows(key, challenge, application.reference, automaticId(rows));
    const at = application.receivedAt;
    return this.#queue.run({ application: applicationRow(application), at, mails: rows, ...once });
  }

  async acceptSubscription(
    ...[subscription, welcome, lease, key, challenge]: Parameters<Store["acceptSubscription"]>
  ): Promise<Accepted | Repeated | ChallengeSpent> {
    const at = subscription.receivedAt;
    const once = onceRows(key, challenge, null, welcome.id);
    return withoutReference(await this.#queue.run({ subscription, at, mails: [mailRow(welcome, at, lease)], ...once }));
  }

  async acceptNothing(
    ...[key, challenge]: Parameters<Store["acceptNothing"]>
  ): Promise<Accepted | Repeated | ChallengeSpent> {
    const once = onceRows(key, challenge, null, null);
    return withoutReference(await this.#queue.run({ at: 0, mails: [], ...once }));
  }

  checkLink(purpose: LinkPurpose, link: FollowedLink): Promise<boolean> {
    return this.#links.works(purpose, link);
  }

  confirmSubscription(link: FollowedLink): Promise<boolean> {
    return this.#links.confirm(link);
  }

  unsubscribe(link: FollowedLink): Promise<boolean> {
    return this.#links.unsubscribe(link);
  }

  suppress(change: SuppressionChange): Promise<boolean> {
    return this.#connections.transaction(async (session) => {
      await lockAddresses(this.#queries, session, [emailKey(change.email)]);
      return noteNews(this.#queries, session, change);
    });
  }

  async findSubmission(reference: string): Promise<ReferencedSubmission | null> {
    const [inquiry] = await this.#connections.read(receivedQueries(this.#queries, "inquiry").find(reference));
    if (inquiry !== undefined) return { kind: "inquiry", inquiry: storedInquiry(inquiry) };
    const [application] = await this.#connections.read(applicationQueries(this.#queries).find(reference));
    if (application === undefined) return null;
    return { kind: "application", application: storedApplication(application) };
  }

  releaseSpam(reference: string, mails: readonly NewMail[], releasedAt: number): Promise<Accepted | NotSpam> {
    const rows = mails.map((mail) => mailRow(mail, releasedAt, null));
    const keys = automaticKeys(rows);
    const { release: releaseInquiry } = receivedQueries(this.#queries, "inquiry");
    const { release: releaseApplication } = applicationQueries(this.#queries);
    return this.#connections.transaction(async (session) => {
      await lockAddresses(this.#queries, session, keys);
      const released =
        (await session.run(releaseInquiry(reference))) + (await session.run(releaseApplication(reference)));
      if (released === 0) return { result: "not-spam" };
      const addressees = await Addressees.read(this.#queries, session, keys, releasedAt);
      const stored = addressees.admit(rows, releasedAt);
      if (stored.length > 0) await session.run(insertAll(this.#queries, "mail", stored));
      return { result: "accepted", mails: stored.map(({ id }) => id) };
    });
  }

  async findIdempotency(procedure: string, keyHash: string, since: number): Promise<EarlierSubmission | null> {
    const { findKey } = onceQueries(this.#queries);
    return earlierSubmission((await this.#connections.read(findKey({ procedure, keyHash, since })))[0]);
  }

  forgetIdempotency(before: number): Promise<number> {
    return forgetRows(this.#connections, this.#queries, "idempotency", before);
  }

  forgetChallenges(before: number): Promise<number> {
    return forgetRows(this.#connections, this.#queries, "spent_challenge", before);
  }

  freeReferenceNumbers(kind: ReferenceKind, day: string, count: number): Promise<number[]> {
    const engine = { connections: this.#connections, queries: this.#queries };
    return findFreeNumbers(count, (range, limit) => findFreeWithin(engine, kind, day, range, limit));
  }

  async claimDueMails(now: number, limit: number, lease: Lease): Promise<LeasedMail[]> {
    const claimed = await this.#connections.transaction((session) => this.#outbox.claim(session, now, limit, lease));
    if (claimed.length > 0) reached("mail-claimed");
    return claimed;
  }

  async settleMails(settlements: readonly MailSettlement[], owner: string): Promise<void> {
    await this.#connections.transaction((session) => this.#outbox.settle(session, settlements, owner));
    reached("mail-settled");
  }

  releaseMails(owner: string, now: number): Promise<void> {
    return this.#connections.transaction((session) => this.#outbox.release(session, owner, now));
  }

  retryMails(which: Parameters<Store["retryMails"]>[0], now: number): Promise<number> {
    const some = () => this.#connections.transaction((session) => this.#outbox.retry(session, which, now));
    return inBatches(some);
  }

  async listMails(filter: Parameters<Store["listMails"]>[0]): Promise<StoredMail[]> {
    return (await this.#connections.read(outboxQueries(this.#queries).list(filter))).map(storedMail);
  }

  async mailBacklog(): ReturnType<Store["mailBacklog"]> {
    const { waiting, givenUp } = outboxQueries(this.#queries);
    const [waits] = await this.#connections.read(waiting());
    const [gone] = await this.#connections.read(givenUp());
    return { queued: waits?.count ?? 0, failed: gone?.count ?? 0, oldestCreatedAt: waits?.oldest ?? null };
  }

  exportInquiries(since: number): AsyncIterable<StoredInquiry> {
    const { page } = receivedQueries(this.#queries, "inquiry");
    const read = async (...at: Parameters<typeof page>) =>
      (await this.#connections.read(page(...at))).map(storedInquiry);
    return readPages(since, read, receivedPosition);
  }

  exportApplications(since: number): AsyncIterable<StoredApplication> {
    const { page } = applicationQueries(this.#queries);
    const read = async (...at: Parameters<typeof page>) =>
      (await this.#connections.read(page(...at))).map(storedApplication);
    return readPages(since, read, receivedPosition);
  }

  exportSubscribers(since: number): AsyncIterable<StoredSubscriber> {
    const { page } = subscriberQueries(this.#queries);
    const read = async (...at: Parameters<typeof page>) =>
      (await this.#connections.read(page(...at))).map(storedSubscriber);
    return readPages(since, read, subscribedPosition);
  }

  async findResume(reference: string): Promise<StoredResume | null> {
    const { findResume } = applicationQueries(this.#queries);
    return storedResume((await this.#connections.read(findResume(reference)))[0]);
  }

  async unscannedResumes(limit: number): Promise<{ reference: string; key: string }[]> {
    const rows = await this.#connections.read(applicationQueries(this.#queries).unscanned(limit));
    return rows.map(({ reference, key }) => ({ reference, key: key ?? "" }));
  }

  async recordScan(key: string, verdict: "clean" | "infected"): Promise<void> {
    const { recordScan } = applicationQueries(this.#queries);
    await this.#connections.transaction((session) => session.run(recordScan(key, verdict)));
  }

  async knownResumeKeys(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const known = this.#queries.selectFrom("application").select("resume_key").where("resume_key", "=", anyOf(keys));
    const rows = await this.#connections.read(known.compile());
    return new Set(rows.flatMap(({ resume_key: key }) => (key === null ? [] : [key])));
  }

  async checkReadiness(): Promise<ReadinessReport> {
    const probe = this.#queries
      .updateTable("probe")
      .set({ writes: sql<number>`writes + 1` })
      .compile();
    try {
      await this.#connections.transaction((session) => session.run(probe), { limits: readinessLimits });
      return { ready: true };
    } catch (error) {
      if (error instanceof StorageUnavailable) return { ready: false, reason: error.message };
      throw error;
    }
  }

  async backup(): Promise<void> {
    throw new BackupElsewhere(
      "PostgreSQL is backed up with its own tools: pg_dump, or the server's continuous archive.",
    );
  }

  /** Waits for what was handed in, then closes; a second call waits for the same. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
    await this.#connections.close();
  }
}

const onceRows = (
  key: IdempotencyRecord | null | undefined,
  challenge: ChallengeRecord | null | undefined,
  reference: string | null,
  receiptMail: string | null,
) => ({
  key: key ? idempotencyRow(key, reference, receiptMail) : null,
  challenge: challenge ? spentChallengeRow(challenge) : null,
});

// Whether the receipt is stored is decided later; where it was not, no mail has this id.
const automaticId = (rows: readonly { readonly id: string; readonly automatic_to: string | null }[]) =>
  rows.find((row) => row.automatic_to !== null)?.id ?? null;

function withoutReference(answer: Acceptance): Accepted | Repeated | ChallengeSpent {
  if (answer.result === "reference-taken") throw new Error("A submission without a reference met a taken one.");
  return answer;
}
