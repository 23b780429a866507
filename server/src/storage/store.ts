// The storage port. Each method is one transaction and one promise: when it resolves, what it did is on stable storage;
// when it rejects, nothing of it is, unless the error says that the outcome is unknown. No closure crosses the port.
import type { AuditRow } from "@submissions/shared/console";
import type { Clock, Stopwatch } from "../clock.ts";
import type { AccessStore } from "./access-store.ts";
import type { Actor, AuditEntry, DeskStore } from "./desk-store.ts";
import type { DeclineStore, ReplyStore } from "./reply-store.ts";
import type { InboundStore, MailboxStore } from "./inbound-store.ts";
import type { DeliverySettlement, LeasedDelivery, WebhookStore } from "./webhook-store.ts";
import type {
  ChallengeRecord,
  Digest,
  EarlierSubmission,
  FollowedLink,
  IdempotencyRecord,
  LeasedMail,
  LeftOutReason,
  LinkPurpose,
  MailKind,
  MailSettlement,
  RefusedMail,
  StoredSubmission,
  StoredSubscriber,
  SubmissionKind,
  SubmissionRecord,
  SubscriptionRecord,
  SuppressionChange,
} from "./records.ts";
import { OperatorError } from "../operator-error.ts";

/** What Message-IDs are made with. */
export interface MessageKey {
  readonly secret: string;
  /** Receipts of submissions with lower numbers have ids that an earlier release made of their references. */
  readonly sinceArrival: number;
}

export type Access = "read-write" | "read-only";

export interface OpenOptions {
  /** `read-only`, for exports beside a service: takes no write lock, migrates nothing. */
  readonly access: Access;
  /** What leases and due times follow on SQLite. PostgreSQL has a clock of its own. */
  readonly clock: Clock & Stopwatch;
  readonly onCommit?: CommitListener;
  /** How long one statement of what operators read may take, in milliseconds; {@link operatorsReadMs} unless set. */
  readonly readMs?: number;
  /** Called with who keeps a migration waiting, on PostgreSQL. */
  readonly waiting?: (message: string) => void;
}

/** Who may send a mail or a delivery, and until when. New mails are born leased to the process that accepted their submission. */
export interface Lease {
  /** The process; random, one a process. */
  readonly owner: string;
  /** By the store's clock. After it any process may claim it. */
  readonly until: number;
}

/** A submission and everything that is stored with it. */
export interface Entry {
  readonly submission: SubmissionRecord | SubscriptionRecord;
  /** The honeypot was filled: it is kept as spam without mail, and of a subscription only key and challenge. */
  readonly spam: boolean;
  /** Null: the caller sent none. */
  readonly key: IdempotencyRecord | null;
  /** Null: none was asked for. */
  readonly challenge: ChallengeRecord | null;
  /** Of the process that sends its mails now; or when they are due, and leased to none. */
  readonly lease: Lease | { readonly dueAt: number };
  /** Its entry in the audit log, if it is accepted. Absent: none. */
  readonly audit?: { readonly entry: AuditEntry; readonly actor: Actor };
  /** By `performance.now()`. What has not begun by then is refused. */
  readonly deadline: number;
}

export interface Accepted {
  readonly result: "accepted";
  /** Null for a subscription. */
  readonly reference: string | null;
  /** The mails that were stored, leased; the submitter's first. */
  readonly mails: readonly LeasedMail[];
  /** The mails that were left out, because their addressee may get none now (see `rules/mails.ts`). */
  readonly capped: readonly MailKind[];
}

/** What became of an entry. Nothing is stored unless it was accepted; the key is looked at before the challenge. */
export type Acceptance =
  | Accepted
  | { readonly result: "repeated"; readonly earlier: EarlierSubmission }
  | { readonly result: "challenge-spent" }
  /** Only of an address that an operator adds. */
  | { readonly result: "left-out"; readonly reason: LeftOutReason }
  /** All references of the day and kind are taken. */
  | { readonly result: "references-exhausted" };

export interface ReadRows extends Readonly<{ [Kind in SubmissionKind]: StoredSubmission<Kind> }> {
  readonly subscriber: StoredSubscriber;
  readonly audit: AuditRow;
}

/** Where to begin reading: behind the number of a row, and not before an instant (milliseconds since the epoch). */
export interface ReadFrom {
  readonly after?: number;
  readonly since?: number;
  /** Called with each number whose row is damaged, if there is one; the reading goes on behind it. Without it, it fails. */
  readonly passOver?: (number: number) => void;
}

/**
 * Rows that are sent later, each by the process that holds its lease. All mails are one lane, and so are the deliveries of
 * each webhook. Each lane has a limit of its own, so that a receiver that is slow or away holds up no other one.
 */
export interface OutboxStore<Leased, Settlement> {
  /**
   * Leases what is due and whose lease is free: of each lane the oldest due first, at most `limit`. A mail whose lease
   * another process has let run out comes in doubt: it may have been sent. A mail that must not be sent, or cannot be read,
   * comes refused, and the caller records it as failed.
   * @param options.endedBefore leases that end at this time or later are left alone; `now` unless given
   * @param options.underWay the lanes of what the caller has already, which counts for the limit
   */
  claim(
    now: number,
    limit: number,
    lease: Lease,
    options?: { readonly endedBefore?: number; readonly underWay?: readonly number[] },
  ): Promise<readonly Leased[]>;

  /** Prolongs the leases that this process still holds. Answers the ids of those it holds. */
  renew(ids: readonly string[], lease: Lease): Promise<ReadonlySet<string>>;

  /** Records how tries ended and gives the leases back. What another process holds is left alone. May wait 25 ms. */
  settle(settlements: readonly Settlement[], owner: string): Promise<void>;
}

/** How well submissions share commits, counted since the store was opened. */
export interface CommitCounts {
  readonly commits: number;
  /** Writes that they made durable. */
  readonly jobs: number;
  /** Transactions that had to be tried again: another process held a lock. */
  readonly retries: number;
  /** Writes that wait now. */
  readonly waiting: number;
}

/** Called after each commit with how many writes it made durable, and how long it took. */
export type CommitListener = (writes: number, seconds: number) => void;

export interface Store extends AsyncDisposable {
  /** Random, drawn when the database was made. A vault bears the same one. */
  readonly identity: string;

  readonly messageKey: MessageKey;

  /** The clock that leases and due times follow: on PostgreSQL the server's, so that all processes agree. */
  readonly clock: Clock & Stopwatch;

  readonly commitCounts: CommitCounts;

  readonly desk: DeskStore;
  readonly replies: ReplyStore;
  readonly declines: DeclineStore;
  readonly inbound: InboundStore;
  readonly mailboxes: MailboxStore;
  readonly access: AccessStore;
  readonly webhooks: WebhookStore;
  readonly mails: OutboxStore<LeasedMail | RefusedMail, MailSettlement>;
  readonly deliveries: OutboxStore<LeasedDelivery, DeliverySettlement>;

  /** Concurrent calls share a commit. */
  accept(entry: Entry): Promise<Acceptance>;

  /** Stores the digest of its day, due now, unless the day has one. Answers whether this one was stored. */
  storeDigest(digest: Digest, now: number): Promise<boolean>;

  /** The submission that a key stands for, if the key was taken within `idempotencyMs` before its `createdAt`. */
  findEarlier(key: IdempotencyRecord): Promise<EarlierSubmission | null>;

  /** Whether a link in a welcome mail works: known, for this purpose, not expired and not dead. Changes nothing. */
  checkLink(purpose: LinkPurpose, link: FollowedLink): Promise<boolean>;

  /**
   * Follows a link. Answers false, and changes nothing, when it does not work; following it again answers true and changes
   * nothing. `unsubscribe` also deletes all confirm links of the address, so that an old one cannot resubscribe it. An
   * address that bounced or complained stays so.
   */
  followLink(purpose: LinkPurpose, link: FollowedLink): Promise<boolean>;

  /** Unsubscribes an address in the name of an operator, as its link does. False when there is no such subscriber. */
  unsubscribeFor(email: string, actor: Actor): Promise<boolean>;

  /** Records news of an address (`rules/suppression.ts`), known or not. Answers whether it was news. */
  suppress(change: SuppressionChange): Promise<boolean>;

  /** Makes the mails and deliveries due that are held since a restore, or the one of an id. Answers how many there were. */
  releaseHeld(id: string | null, actor: Actor): Promise<number>;

  /** Counts mails. The times are those of the oldest that waits and of the first that is due; null: none waits. */
  mailBacklog(now?: number): Promise<{
    readonly queued: number;
    readonly failed: number;
    readonly inDoubt: number;
    readonly oldestCreatedAt: number | null;
    readonly firstDueAt: number | null;
  }>;

  /** All rows of a kind that are stored by now, in the order of their numbers, in pages so that memory stays flat. */
  readAll<Kind extends keyof ReadRows>(kind: Kind, from: ReadFrom): AsyncIterable<readonly ReadRows[Kind][]>;

  /** Resumes, then files of answers, that no scanner has judged, oldest first. No other process gets these before `until`. */
  claimUnscanned(
    now: number,
    limit: number,
    until: number,
  ): Promise<{ readonly reference: string; readonly key: string }[]>;

  recordScan(key: string, verdict: "clean" | "infected"): Promise<void>;

  /** Which of these vault keys belong to a submission, an answer or a reply, or did, and are still to be discarded. */
  knownResumeKeys(keys: readonly string[], orErased?: boolean): Promise<ReadonlySet<string>>;

  /**
   * Forgets one batch of what has had its time (see `sql/housekeeping.ts`). `started`: when the process started, by its clock,
   * which may have been wrong, and how long ago that was.
   */
  forgetExpired(
    now: number,
    started?: { readonly at: number; readonly elapsedMs: number },
  ): Promise<{ readonly forgotten: number; readonly more: boolean }>;

  /** Whether submissions can be stored now: proves a write to stable storage, without keeping it. The reason is for the log. */
  checkReadiness(): Promise<{ readonly ready: boolean; readonly reason?: string }>;
}

export const operatorsReadMs = 5_000;

/** The storage cannot be used now; trying again later may work. */
export class StorageUnavailable extends OperatorError {
  /**
   * `not-stored`: nothing of the call is stored, and nothing will be. `unknown`: the connection to the database was lost
   * while it was committing, and what became of it could not be found out; it is stored as a whole or not at all.
   */
  readonly outcome: "not-stored" | "unknown";
  /** What was to be read is damaged, or its disk fails: only other rows can be read. */
  readonly isDamage: boolean;

  constructor(message: string, options: ErrorOptions & Partial<Pick<StorageUnavailable, "outcome" | "isDamage">> = {}) {
    super(message, options);
    this.outcome = options.outcome ?? "not-stored";
    this.isDamage = options.isDamage ?? false;
  }
}

/** What was to be read took too long, and was given up. */
export class ReadTooSlow extends OperatorError {
  constructor(options?: ErrorOptions) {
    super("The read took too long.", options);
  }
}
