// The part of the storage port that operators use. Each method is one transaction, unless it says that it works in batches.
// Every change by an operator is stored together with its entry in the audit log.
import type {
  AuditRow,
  DeliveryRow,
  InboxCounts,
  InboxFilter,
  News,
  Note,
  Overview,
  OverviewDays,
  FilterChoice,
  Page,
  PageRequest,
  Person,
  Reply,
  SourceCount,
  StageCounts,
  SubmissionDetail,
  SubscriberArrivals,
  SubscriberFilter,
  TabCounts,
  TagRequest,
  TriageOutcome,
  TriageRequest,
  ReplyFile,
  UnmatchedRow,
} from "@submissions/shared/console";
import { submissionKinds } from "@submissions/shared/kinds";
import type {
  Former,
  MailStatus,
  ScanState,
  StoredAnswer,
  StoredMail,
  StoredSubmission,
  StoredSubscriber,
  SubmissionKind,
} from "./records.ts";

/** What a role may see. What lies outside is answered like what does not exist. */
export interface Scope {
  readonly kinds: readonly SubmissionKind[];
  /** Whether subscribers and their mails are among it. */
  readonly subscribers: boolean;
}

export const wholeScope: Scope = { kinds: submissionKinds, subscribers: true };

/** Who does something, and when (milliseconds since the epoch). */
export interface Actor {
  /** E-mail address of the operator, `command line` or `retention`. */
  readonly operator: string;
  readonly at: number;
}

/** An entry of the audit log. It never holds the address of an erased person. */
export interface AuditEntry {
  /** `resume.view`, `export`, `sign-in` and the like; at most 64 characters. */
  readonly action: string;
  /** A reference, or what a list holds: `inquiries`, for example. */
  readonly subject: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Everything about one submission. Lists are oldest first; answers and history the latest 200. */
export interface DeskDetail extends Pick<
  SubmissionDetail,
  "notes" | "replies" | "suppressed" | "answersLeftOut" | "history"
> {
  readonly submission: StoredSubmission;
  /** Null without a resume. */
  readonly scan: ScanState | null;
  readonly mails: readonly StoredMail[];
  /** Files of replies that are not sent, of all operators. */
  readonly attached: readonly (ReplyFile & { readonly author: string })[];
  readonly answers: readonly StoredAnswer[];
  /** Submissions of the same address or with the same resume that the scope holds, newest first, at most 5. */
  readonly duplicates: readonly StoredSubmission[];
}

/** Subscribers of a filter that are counted by day: more would keep other lists waiting. */
export const arrivalsMax = 10_000;
/** As many sources as a chart can tell apart. */
export const arrivalSources = 3;

/** Older than this, the newest whole backup says that one was missed: a day, and some hours for one that takes long. */
export const backupMsMax = 30 * 60 * 60 * 1000;

/** Rows of a page are at most this many; {@link pageLimit} unless asked for. */
export const pageLimitMax = 100;
export const pageLimit = 50;
/** Sources that an operator can choose from. */
export const sourcesMax = 200;
/** Notes of one submission, each of at most 10,000 characters: all of them are read with it. */
export const notesMax = 200;
/** Submissions that one call may change. */
export const triageMax = 1_000;

export interface Erased {
  readonly submissions: number;
  readonly subscriptions: number;
  readonly resumes: number;
  /** Whether there may be more. */
  readonly more: boolean;
}

/** Submissions of a kind that were received before an instant, or `declined` ones that were decided before it. */
export interface Outdated {
  readonly kind: SubmissionKind | "spam" | "declined";
  readonly before: number;
}

export type KnownFact =
  | { readonly kind: "submission"; readonly submission: StoredSubmission }
  | { readonly kind: "note"; readonly reference: string; readonly note: Note }
  | {
      readonly kind: "tags";
      readonly reference: string;
      readonly at: number;
      readonly added: string | null;
      readonly removed: string | null;
    }
  | { readonly kind: "reply"; readonly reference: string; readonly reply: Reply }
  | { readonly kind: "answer"; readonly reference: string; readonly answer: StoredAnswer }
  | { readonly kind: "unmatched"; readonly mail: UnmatchedRow }
  | { readonly kind: "subscription"; readonly subscriber: StoredSubscriber }
  | { readonly kind: "mail"; readonly mail: StoredMail }
  /** Another service that was notified about the person, or will be: by the host of its address. */
  | ({ readonly kind: "delivery"; readonly host: string } & Pick<DeliveryRow, "event" | "status" | "createdAt">)
  | { readonly kind: "suppression"; readonly reason: string | null; readonly at: number }
  | { readonly kind: "idempotency"; readonly procedure: string; readonly createdAt: number };

export interface StoredPerson extends Omit<Person, "submissions" | "subscription" | "mails"> {
  readonly submissions: readonly StoredSubmission[];
  readonly subscription: StoredSubscriber | null;
  readonly mails: readonly StoredMail[];
}

/** The console's overview as it is stored: without what depends on the catalogue. */
export interface StoredOverview extends Omit<Overview, "packageTitles" | "waiting"> {
  readonly waiting: readonly StoredSubmission[];
}

/** {@link News} as it is stored. At most 100 submissions; where there are more, `change` stands before the next of them. */
export interface StoredNews extends Omit<News, "changed"> {
  readonly changed: readonly StoredSubmission[];
}

export interface ChangeRequest extends Omit<TriageRequest, "targets"> {
  /** `former`: the submission becomes that again, and the mails of its decline wait again. */
  readonly targets: readonly { readonly reference: string; readonly version: number; readonly former?: Former }[];
}

/** What became of a submission. `former`: how it was, where it had been decided before. */
export type ChangeOutcome<Outcome = TriageOutcome> = Outcome & { readonly former?: Former };

export interface DeskStore {
  /**
   * Submissions of a filter, by arrival. A page may be shorter than its limit although there are more: it stops after a
   * bounded amount of work, and `next` then says where to go on.
   */
  listSubmissions(scope: Scope, filter: InboxFilter, page: PageRequest): Promise<Page<StoredSubmission>>;

  /** New and open exactly, the others up to 1,001. `mine` counts what is assigned to this operator. */
  countByStatus(scope: Scope, operator: string): Promise<InboxCounts>;

  /** How many submissions of a filter are in each stage. */
  countByStage(scope: Scope, filter: InboxFilter): Promise<StageCounts>;

  /** How many submissions of a filter each tab shows; its own status does not matter. */
  countTabs(scope: Scope, filter: InboxFilter): Promise<TabCounts>;

  /**
   * The latest arrival number of the scope, and how many new submissions came behind a number (at most 1,001).
   * @param change the entry of the audit log behind which changed submissions are looked for; absent: none are
   */
  since(scope: Scope, arrival: number, change?: number): Promise<StoredNews>;

  findDetail(scope: Scope, reference: string): Promise<DeskDetail | null>;

  /** Everything of an address that the scope holds, the newest 200 submissions; null when that is nothing. */
  findPerson(scope: Scope, email: string): Promise<StoredPerson | null>;

  /** Newest first. `search`: a part of an address. */
  listSubscribers(filter: SubscriberFilter, page: PageRequest): Promise<Page<StoredSubscriber>>;

  /** The latest replies, notes and answers of a submission, 10 of each, the first 10,000 characters of each. */
  textsAbout(arrival: number): Promise<readonly string[]>;

  /** What the inbox's filter can be set to, of the latest {@link sharesOfMax} submissions of each kind. */
  choices(scope: Scope): Promise<readonly FilterChoice[]>;

  /** Active subscribers as they were counted at the end of the last days (UTC), oldest first, and now as today's. */
  subscriberGrowth(now: number, days: number): Promise<readonly { readonly day: string; readonly active: number }[]>;

  /**
   * How many of the newest {@link arrivalsMax} subscribers of a filter came on each of the last days (UTC), oldest first;
   * `sources`: from each of the most frequent {@link arrivalSources}.
   */
  subscriberArrivals(
    filter: Omit<SubscriberFilter, "search">,
    now: number,
    days: number,
  ): Promise<readonly SubscriberArrivals[]>;

  /** How many subscribers came from each source at first, the most frequent {@link sourcesMax}. */
  countSources(): Promise<readonly SourceCount[]>;

  /** Newest first; `after` and `next` are numbers of rows. */
  listMails(scope: Scope, status: MailStatus | undefined, page: PageRequest): Promise<Page<StoredMail>>;

  overview(scope: Scope, now: number, days?: OverviewDays): Promise<StoredOverview>;

  /** Newest first; `after` and `next` are ids. */
  listAudit(page: PageRequest): Promise<Page<AuditRow>>;

  /** The entry of the newest backup that is whole; null when none was made. */
  latestBackup(now: number): Promise<AuditRow | null>;

  /**
   * Changes submissions whose version is the one that was seen. One that leaves spam gets the mails that it did not get. In
   * batches; each is done whole or not.
   * @throws RangeError for more than {@link triageMax}
   */
  triage(scope: Scope, request: ChangeRequest, actor: Actor): Promise<readonly ChangeOutcome[]>;

  /** The tags of the submissions that a scope holds, at most 500. */
  listTags(scope: Scope): Promise<readonly string[]>;

  /**
   * Adds and removes tags, or renames one everywhere; without `to` it is removed everywhere. A tag that is in use in other
   * case is added as it is there. Answers how many submissions of the scope were changed.
   */
  changeTags(
    scope: Scope,
    request: TagRequest | { readonly from: string; readonly to?: string },
    actor: Actor,
  ): Promise<number>;

  /**
   * Null when the scope holds no such submission; `full` when it has {@link notesMax}.
   *
   * @param seen the id of the last note that the operator saw; the same words of the operator behind it are answered again
   */
  addNote(scope: Scope, reference: string, text: string, actor: Actor, seen?: number): Promise<Note | "full" | null>;

  /** Changes the words of a note of the operator. Null when the scope holds no such one. */
  editNote(scope: Scope, reference: string, id: number, text: string, actor: Actor): Promise<Note | null>;

  /**
   * Sends a mail again if it is in one of these states. One that was not sent is due now; unless it was queued, its tries
   * are counted anew. Of a sent mail a new one is stored, due now; a sent welcome mail has lost its links and is
   * `not-sendable`. `left`: it is in another state, or another transaction changes it. Null when the scope holds no such mail.
   * A decline goes out at its time; one that is queued until then `waits` as before, unless it is to be sent `early`.
   * A sent reply or notice counts as a reply of the operator, who has no more until `retryAt`.
   */
  sendAgain(
    scope: Scope,
    mailId: string,
    statuses: readonly MailStatus[],
    actor: Actor,
    early?: boolean,
  ): Promise<"due" | "left" | "waits" | "not-sendable" | "suppressed" | "capped" | { readonly retryAt: number } | null>;

  /**
   * Removes one batch of what an address sent with all that belongs to it, its subscription, and its suppression. A hash of
   * the address stays where it is not to be mailed, or has left the newsletter. Keys of resumes are kept for
   * {@link resumesToDiscard}. What a batch removes is in the audit log. Call again while there is more.
   */
  erasePerson(email: string, actor: Actor): Promise<Erased>;

  /**
   * Removes one batch of outdated submissions, and the suppressions of their addresses where nothing else is known of these.
   * Otherwise as {@link erasePerson}.
   */
  eraseOutdated(outdated: Outdated, actor: Actor): Promise<Erased>;

  /** How many submissions are outdated, and how many of their kind are stored, these included. */
  countOutdated(outdated: Outdated): Promise<{ readonly outdated: number; readonly stored: number }>;

  /** Vault keys of erased resumes whose bytes are to be discarded, at most `limit`. Those `discarded` by now are forgotten. */
  resumesToDiscard(limit: number, discarded: readonly string[]): Promise<readonly string[]>;

  readPerson(scope: Scope, email: string): AsyncIterable<KnownFact>;

  /** Records something that changes nothing else: a view, an export, a sign-in. */
  audit(entry: AuditEntry, actor: Actor): Promise<void>;

  /**
   * Makes the next submissions searchable, at most `limit`, and marks throw-away addresses among them; then those that an
   * earlier release made searchable by other words, the newest first. Answers how many, and whether there are more.
   */
  indexNext(
    limit: number,
    isDisposable: (email: string) => boolean,
  ): Promise<{ readonly indexed: number; readonly more: boolean }>;

  /** Counts the active subscribers as those of yesterday, once, for {@link subscriberGrowth}. */
  countSubscribers(now: number): Promise<void>;
}
