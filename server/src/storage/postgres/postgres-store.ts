// The PostgreSQL engine of the store. Submissions and settlements of mails share commits; every other method is a
// transaction of its own, or one read. Any number of processes may use one database.
import type { Clock } from "../../clock.ts";
import { reached } from "../../failpoint.ts";
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
import { References } from "../rules/references.ts";
import { readResume, readSubmissionAnyway } from "../rules/submission-row.ts";
import {
  type Acceptance,
  BackupElsewhere,
  type CommitCounts,
  type Entry,
  type Lease,
  type ReadFrom,
  type ReadinessReport,
  StorageUnavailable,
  type Store,
} from "../store.ts";
import { Acceptor } from "./accept.ts";
import { PostgresAccess } from "./access.ts";
import type { Connections, Limits } from "./connections.ts";
import { PostgresDesk } from "./desk.ts";
import { Housekeeping } from "./housekeeping.ts";
import { followLink, holderOf } from "./links.ts";
import { findEarlier } from "./once.ts";
import { Outbox, settledRow } from "./outbox.ts";
import { findRow, readSubmissions, readSubscribers } from "./reading.ts";
import { releaseSpam } from "./release.ts";
import { claimUnscanned, knownAmong, recordScan } from "./resumes.ts";
import type { Statement } from "./session.ts";
import { suppress } from "./suppression.ts";
import { PostgresWebhooks } from "./webhooks.ts";

/** A readiness probe gives up after 1 s, so this fails sooner. */
const readinessLimits: Limits = { statementMs: 500, lockMs: 500, idleMs: 1_000 };

// A message in the write-ahead log that no program reads: to be committed it has to reach stable storage, and processes do not
// wait for each other as they would for a row. The locks are those of an INSERT, and only a change of the schema refuses
// them.
const proveWrite: Statement<object> = {
  name: "prove-write",
  text: `
    WITH submissions AS (UPDATE submission SET version = version WHERE arrival < 0),
      mails AS (UPDATE mail SET attempts = attempts WHERE id < 0)
    SELECT pg_logical_emit_message(true, 'submissions', 'ready')::text`,
};

export class PostgresStore implements Store {
  readonly identity: string;
  readonly clock: Clock;
  readonly desk: PostgresDesk;
  readonly access: PostgresAccess;
  readonly webhooks: PostgresWebhooks;
  readonly #connections: Connections;
  readonly #opened: AsyncDisposable;
  readonly #references: References;
  readonly #acceptor: Acceptor;
  readonly #outbox: Outbox;
  readonly #housekeeping: Housekeeping;
  #closed: Promise<void> | undefined;

  /**
   * @param connections to a database that is migrated
   * @param opened what is closed with the store, the connections among it
   */
  constructor(
    connections: Connections,
    clock: Clock,
    { identity, referenceKey }: { readonly identity: string; readonly referenceKey: string },
    opened: AsyncDisposable,
  ) {
    this.identity = identity;
    this.clock = clock;
    this.#connections = connections;
    this.#opened = opened;
    this.#references = new References(referenceKey);
    this.#acceptor = new Acceptor(connections, this.#references);
    this.#outbox = new Outbox(connections);
    this.#housekeeping = new Housekeeping(connections);
    this.desk = new PostgresDesk(connections, this.#references);
    this.access = new PostgresAccess(connections);
    this.webhooks = new PostgresWebhooks(connections);
  }

  get commitCounts(): CommitCounts {
    return this.#acceptor.counts;
  }

  accept(entry: Entry): Promise<Acceptance> {
    return this.#acceptor.accept(entry);
  }

  storeDigest(digest: Digest, now: number): Promise<boolean> {
    return this.#outbox.storeDigest(digest, now);
  }

  findEarlier(key: IdempotencyRecord): Promise<EarlierSubmission | null> {
    return findEarlier(this.#connections, key);
  }

  async findSubmission(reference: string): Promise<StoredSubmission | null> {
    const row = await findRow(this.#connections, this.#references, reference);
    return row === undefined ? null : readSubmissionAnyway(row);
  }

  release(reference: string, now: number): ReturnType<Store["release"]> {
    return releaseSpam(this.#connections, this.#references, reference, now);
  }

  async checkLink(purpose: LinkPurpose, link: FollowedLink): Promise<boolean> {
    return (await holderOf(this.#connections, purpose, link)) !== null;
  }

  confirmSubscription(link: FollowedLink): Promise<boolean> {
    return followLink(this.#connections, "confirm", link);
  }

  unsubscribe(link: FollowedLink): Promise<boolean> {
    return followLink(this.#connections, "unsubscribe", link);
  }

  suppress(change: SuppressionChange): Promise<boolean> {
    return suppress(this.#connections, change);
  }

  async claimDueMails(now: number, limit: number, lease: Lease): Promise<LeasedMail[]> {
    const claimed = await this.#outbox.claim(now, limit, lease, (unreadable) => this.#acceptor.settle(unreadable));
    if (claimed.length > 0) reached("mail-claimed");
    return claimed;
  }

  renewLeases(ids: readonly string[], lease: Lease): Promise<ReadonlySet<string>> {
    return this.#outbox.renew(ids, lease);
  }

  async settleMails(settlements: readonly MailSettlement[], owner: string): Promise<void> {
    // Before the mails are settled: their leases say whose they are.
    for (const { email, at } of await this.#outbox.refusedAddressees(settlements, owner)) {
      await this.suppress({ email, at, reason: "inactive" });
    }
    await this.#acceptor.settle(settlements.flatMap((settlement) => settledRow(settlement, owner) ?? []));
    reached("mail-settled");
  }

  releaseMails(owner: string, now: number): Promise<void> {
    return this.#outbox.releaseAll(owner, now);
  }

  retryMails(which: Parameters<Store["retryMails"]>[0], now: number): Promise<number> {
    return this.#outbox.retry(which, now);
  }

  listMails(filter: Parameters<Store["listMails"]>[0]): Promise<StoredMail[]> {
    return this.#outbox.list(filter);
  }

  mailBacklog(): ReturnType<Store["mailBacklog"]> {
    return this.#outbox.backlog();
  }

  readSubmissions<Kind extends SubmissionKind>(
    kind: Kind,
    from: ReadFrom,
  ): AsyncIterable<Extract<StoredSubmission, { kind: Kind }>> {
    return readSubmissions(this.#connections, kind, from);
  }

  readSubscribers(from: ReadFrom): AsyncIterable<StoredSubscriber> {
    return readSubscribers(this.#connections, from);
  }

  async findResume(reference: string): Promise<StoredResume | null> {
    const row = await findRow(this.#connections, this.#references, reference);
    return row === undefined ? null : readResume(row);
  }

  claimUnscanned(now: number, limit: number, until: number): ReturnType<Store["claimUnscanned"]> {
    return claimUnscanned(this.#connections, now, limit, until);
  }

  recordScan(key: string, verdict: "clean" | "infected"): Promise<void> {
    return recordScan(this.#connections, key, verdict);
  }

  knownResumeKeys(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return knownAmong(this.#connections, keys);
  }

  forgetExpired(now: number): ReturnType<Store["forgetExpired"]> {
    return this.#housekeeping.forget(now);
  }

  async checkReadiness(): Promise<ReadinessReport> {
    try {
      await this.#connections.write(proveWrite, [], { limits: readinessLimits, repeatable: true });
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
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#acceptor.close();
    await this.#opened[Symbol.asyncDispose]();
  }
}
