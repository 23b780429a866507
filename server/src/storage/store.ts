// The storage port. Each method is one transaction and one promise: when it resolves, what it did is on stable storage;
// when it rejects, nothing of it is, unless the error says that nobody can tell. What tidies up, or wakes many mails, may be
// done in part then. No closure crosses the port, because on
// one connection somebody else's rollback would take an acknowledged row with it. `test/contract/` is its specification,
// run on every engine.
import type { ReferenceKind } from "@submissions/shared/reference";
import type {
  ApplicationRecord,
  ChallengeRecord,
  EarlierSubmission,
  FollowedLink,
  IdempotencyRecord,
  InquiryRecord,
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
  SubscriptionRecord,
  SuppressionChange,
} from "./records.ts";

/** The lease that new mails are born with, so that no sender but the accepting process touches them. */
export interface Lease {
  /** The process that holds it; random, one per process. */
  readonly owner: string;
  /** Milliseconds since the epoch; after it anyone may claim the mail. */
  readonly until: number;
}

/** The submission is stored. */
export interface Accepted {
  readonly result: "accepted";
  /**
   * Ids of the mails that were stored with it, in the order given. Automatic mails to an address that may get none
   * (see `automatic-mail.ts`) are left out.
   */
  readonly mails: readonly string[];
}

/** The idempotency key stands for an earlier submission. Nothing was stored. */
export interface Repeated {
  readonly result: "repeated";
}

/** The challenge was spent on an earlier submission. Nothing was stored, and the key was not taken. */
export interface ChallengeSpent {
  readonly result: "challenge-spent";
}

/** There is nothing to release. */
export interface NotSpam {
  readonly result: "not-spam";
}

/** `reference-taken` means that nothing was stored: draw another reference and try again. */
export type Acceptance = Accepted | Repeated | ChallengeSpent | { readonly result: "reference-taken" };

export interface ReadinessReport {
  readonly ready: boolean;
  /** Why not, for the log; never for a caller. */
  readonly reason?: string;
}

export interface Store extends AsyncDisposable {
  /**
   * Stores an inquiry, its mails, the key under which it may be repeated and the challenge that is spent on it. The key
   * is looked at first: a repetition needs no challenge of its own.
   */
  acceptInquiry(
    inquiry: InquiryRecord,
    mails: readonly NewMail[],
    lease: Lease,
    idempotency?: IdempotencyRecord | null,
    challenge?: ChallengeRecord | null,
  ): Promise<Acceptance>;

  /** The same for an application. The resume's bytes are already in the vault. */
  acceptApplication(
    application: ApplicationRecord,
    mails: readonly NewMail[],
    lease: Lease,
    idempotency?: IdempotencyRecord | null,
    challenge?: ChallengeRecord | null,
  ): Promise<Acceptance>;

  /**
   * Stores or renews a subscription and, where one is due, its welcome mail: new addresses and unsubscribed ones get
   * one; pending ones at most one in `welcomeIntervalMs`; active, bounced and complained ones none.
   */
  acceptSubscription(
    subscription: SubscriptionRecord,
    welcome: NewMail,
    lease: Lease,
    idempotency?: IdempotencyRecord | null,
    challenge?: ChallengeRecord | null,
  ): Promise<Accepted | Repeated | ChallengeSpent>;

  /** Takes the key and the challenge of a submission that is answered like any other and of which nothing is kept. */
  acceptNothing(
    idempotency: IdempotencyRecord | null,
    challenge: ChallengeRecord | null,
  ): Promise<Accepted | Repeated | ChallengeSpent>;

  /** Whether a link in a welcome mail works: known, for this purpose, not expired and not dead. Changes nothing. */
  checkLink(purpose: LinkPurpose, link: FollowedLink): Promise<boolean>;

  /**
   * Makes the subscriber of a confirm link active. Answers false, and changes nothing, when the link does not work;
   * following it again answers true and changes nothing.
   */
  confirmSubscription(link: FollowedLink): Promise<boolean>;

  /**
   * Unsubscribes the subscriber of an unsubscribe link, and kills all confirm links of the address: an old one must
   * never resubscribe. Answers as {@link confirmSubscription} does. Bounced and complained subscribers stay that.
   */
  unsubscribe(link: FollowedLink): Promise<boolean>;

  /**
   * Takes note that an address is not to be mailed any more, or may be mailed again; see `suppression.ts`. A subscriber
   * becomes bounced, complained or unsubscribed with it, and the confirm links of the address die; lifting a
   * suppression subscribes nobody. The address need not be known. Answers whether this was news: older news than what
   * is known changes nothing.
   */
  suppress(change: SuppressionChange): Promise<boolean>;

  /** A submission by its reference. */
  findSubmission(reference: string): Promise<ReferencedSubmission | null>;

  /**
   * Makes a submission that was kept as spam a new one, and stores the mails that it did not get, due at once and
   * leased to nobody. `not-spam`, and nothing stored, when it is none, or none any more.
   */
  releaseSpam(reference: string, mails: readonly NewMail[], releasedAt: number): Promise<Accepted | NotSpam>;

  /** The submission that a key stands for, if it was taken after `since`. */
  findIdempotency(procedure: string, keyHash: string, since: number): Promise<EarlierSubmission | null>;

  /** Forgets keys taken at or before an instant. Answers how many. */
  forgetIdempotency(before: number): Promise<number>;

  /** Forgets spent challenges that expired at or before an instant. Answers how many. */
  forgetChallenges(before: number): Promise<number>;

  /**
   * Free numbers of a day and kind, at most `count`, looked for from a random point onwards. For days so full that
   * drawing at random no longer finds one; empty when all 1,000,000 are taken.
   */
  freeReferenceNumbers(kind: ReferenceKind, day: string, count: number): Promise<number[]>;

  /**
   * Leases due mails whose lease is free, oldest due first, at most `limit`. A mail whose lease another owner has let run
   * out may have been sent by it: it comes in doubt, with no denials. A row that cannot be read is settled as failed
   * instead of being handed out, so that it holds up no other.
   */
  claimDueMails(now: number, limit: number, lease: Lease): Promise<LeasedMail[]>;

  /**
   * Records how tries ended and gives the leases back. Settlements of mails that another owner leased are ignored. The
   * address of an automatic mail that was refused because of its recipient is suppressed with it.
   */
  settleMails(settlements: readonly MailSettlement[], owner: string): Promise<void>;

  /** Gives back all leases of an owner that stops and has sent none of these mails; they are due at once. */
  releaseMails(owner: string, now: number): Promise<void>;

  /**
   * Makes a queued or failed mail due now, or all failed ones, whose tries are then counted anew. Answers how many. A
   * sent mail is never sent again.
   */
  retryMails(which: { readonly id: string } | "all-failed", now: number): Promise<number>;

  /** Mails by status, newest first. */
  listMails(filter: { readonly status?: MailStatus; readonly limit: number }): Promise<StoredMail[]>;

  /** How many mails wait, and since when the oldest (null when none does). */
  mailBacklog(): Promise<{
    readonly queued: number;
    readonly failed: number;
    readonly oldestCreatedAt: number | null;
  }>;

  /** All inquiries received at or after `since`, oldest first, read in pages so that memory stays flat. */
  exportInquiries(since: number): AsyncIterable<StoredInquiry>;
  exportApplications(since: number): AsyncIterable<StoredApplication>;
  /** Subscribers who subscribed at or after `since`. */
  exportSubscribers(since: number): AsyncIterable<StoredSubscriber>;

  /** The resume of an application: null when there is no such application, or it came without one. */
  findResume(reference: string): Promise<StoredResume | null>;

  /** Resumes that no scanner has judged, oldest first, at most `limit`. */
  unscannedResumes(limit: number): Promise<{ readonly reference: string; readonly key: string }[]>;

  /** Writes down what the scanner said. */
  recordScan(key: string, verdict: "clean" | "infected"): Promise<void>;

  /** Which of these vault keys belong to an application. */
  knownResumeKeys(keys: readonly string[]): Promise<ReadonlySet<string>>;

  /** Whether submissions can be stored now: reaches the stable storage and proves a write, without keeping it. */
  checkReadiness(): Promise<ReadinessReport>;

  /**
   * Writes a consistent copy of everything the store holds to a new file, while the service runs.
   *
   * @throws BackupElsewhere when the engine has a tool of its own for it
   */
  backup(file: string): Promise<void>;
}

/** How long an idempotency key is kept. */
export const idempotencyMs = 24 * 60 * 60 * 1000;

/** A pending subscriber gets at most one welcome mail in this time. */
export const welcomeIntervalMs = 10 * 60 * 1000;

/** The storage cannot be used now; trying again later may work. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
  /**
   * `not-stored`: nothing of the call is stored, and nothing will be. `unknown`: the connection to the database was lost
   * while it was committing, and what became of it could not be found out; it is stored as a whole or not at all.
   */
  readonly outcome: "not-stored" | "unknown";

  constructor(message: string, options: ErrorOptions & { readonly outcome?: StorageUnavailable["outcome"] } = {}) {
    super(message, options);
    this.outcome = options.outcome ?? "not-stored";
  }
}

/** Copies of this store are made with the database's own tools. */
export class BackupElsewhere extends Error {
  override readonly name = "BackupElsewhere";
}
