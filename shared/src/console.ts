// What the operators' console and its server say to each other: plain types of filters, rows and changes. Times are
// milliseconds since the epoch, UTC.
import { type KindPlural, type SubmissionKind, submissionKinds } from "./kinds.ts";
import type { GreetingLanguage, Language } from "./language.ts";
import type { Role } from "./roles.ts";
import type { Stage } from "./stages.ts";

export const triageStatuses = ["new", "open", "done", "spam"] as const;
export type TriageStatus = (typeof triageStatuses)[number];

/** Who has to write next. */
export const waitedFors = ["us", "them"] as const;
export type WaitedFor = (typeof waitedFors)[number];

/** The signed-in operator. */
export interface Me {
  readonly email: string;
  readonly role: Role;
  /** Present when nothing else works until a second factor is set. */
  readonly mustSetSecondFactor?: true;
}

/** What the inbox shows. Every part stands in the page's address, the texts of searches in its fragment. */
export interface InboxFilter {
  /** Absent: all that the role may see. */
  readonly kind?: SubmissionKind;
  /** Absent: all but spam, in a search spam too. `todo`: new and open, but what is snoozed. */
  readonly status?: TriageStatus | "todo";
  /** Kinds without stages have none of them. */
  readonly stage?: Stage;
  /** Of those that are to be done, those that wait for us, or for the person. */
  readonly waiting?: WaitedFor;
  /** E-mail address of an operator; `none`: unassigned. */
  readonly assignee?: string;
  /** Received at or after, and before. */
  readonly from?: number;
  readonly until?: number;
  readonly hasResume?: boolean;
  readonly disposable?: boolean;
  /** Words of names, addresses and companies; as it is typed, from 2 letters. */
  readonly search?: string;
  /** Whole words of all fields, letters included, and what {@link search} would find. */
  readonly letter?: string;
  /** Without what {@link search} would find by the words of {@link letter}. */
  readonly lettersOnly?: boolean;
  /** Exactly these: a tag, an identifier of a package, the position, the company, the further field `utm_source`. */
  readonly tag?: string;
  readonly package?: string;
  readonly position?: string;
  /** The id of an opening. */
  readonly opening?: string;
  readonly company?: string;
  readonly source?: string;
  /** `newest` unless given. */
  readonly order?: "newest" | "oldest";
}

/** A page of a list: behind this arrival number, at most so many rows (50 unless given, 100 at most). */
export interface PageRequest {
  readonly after?: number;
  readonly limit?: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** What `after` of the next page is; null on the last one. */
  readonly next: number | null;
}

/** A submission in the list. */
export interface InboxRow {
  readonly arrival: number;
  readonly reference: string;
  readonly kind: SubmissionKind;
  readonly name: string;
  readonly email: string;
  readonly company: string | null;
  /** The titles of its packages, or its position; at most 200 characters. */
  readonly summary: string;
  /** How its letter begins, in one line, at most 120 characters; empty: it has none. */
  readonly beginning: string;
  /** In a search with `letter`: the sentence with the most of its words; at most 200 characters. */
  readonly match?: string;
  readonly status: TriageStatus;
  /** Null: its kind has no stages. */
  readonly stage: Stage | null;
  /** Further fields that its row shows, by their names in the request: those that it has. */
  readonly facts: Readonly<Record<string, string>>;
  readonly assignee: string | null;
  /** In their alphabetical order. */
  readonly tags: readonly string[];
  readonly version: number;
  readonly receivedAt: number;
  /** Null: none. */
  readonly waitedFor: WaitedFor | null;
  /** The last reply, and the last mail that the person wrote; null: none. */
  readonly lastReplyAt: number | null;
  readonly lastAnswerAt: number | null;
  /** Not to be done before then. Null, or past: it is not snoozed. */
  readonly snoozedUntil: number | null;
  readonly hasResume: boolean;
  readonly disposable: boolean;
}

/** The tabs of the inbox that have counts. */
export const countedTabs = ["todo", "us", "them", ...triageStatuses] as const;

/** Up to 1,000, and then 1,001 for "more than 1,000"; null: counting takes too long. */
export type TabCounts = Readonly<Record<(typeof countedTabs)[number], number | null>>;

/** As {@link TabCounts}. */
export type StageCounts = Readonly<Record<Stage, number | null>>;

/** What an open page asks for every few seconds. */
export interface News {
  /** The latest arrival number, and how many new submissions came behind the one that was asked about (at most 1,001). */
  readonly latest: number;
  readonly added: number;
  /** The latest entry of the audit log that was looked at. */
  readonly change: number;
  /** The submissions that were changed behind the entry that was asked about, as they are now. */
  readonly changed: readonly InboxRow[];
  /** The references of those that were erased behind it. */
  readonly gone: readonly string[];
}

/** New and open exactly; the others up to 1,000, and then 1,001 for "more than 1,000". */
export interface InboxCounts extends Readonly<Record<KindPlural | TriageStatus, number>> {
  /** New and open ones that are not snoozed; all, those of each kind, those assigned to the operator, and to none. */
  readonly todo: number;
  readonly mine: number;
  readonly unassigned: number;
}

/**
 * `queued`: to be sent when due. `sent`: the provider took it. `failed`: refused for good, or given up after 72 hours.
 * `in-doubt`: it may have been sent, the provider cannot be asked, and it was tried once more already. Only an
 * operator's retry wakes the last two.
 */
export const mailStatuses = ["queued", "sent", "failed", "in-doubt"] as const;
export type MailStatus = (typeof mailStatuses)[number];

export interface MailRow {
  readonly id: string;
  readonly kind: string;
  /** Of the submission; null for the newsletter. */
  readonly reference: string | null;
  /** The reply that it holds, itself or as the team's copy; null: none. */
  readonly reply: number | null;
  /** Whom it is for; null for the team's notices. */
  readonly email: string | null;
  readonly status: MailStatus;
  readonly attempts: number;
  readonly createdAt: number;
  /** When the next try is due; null unless queued. */
  readonly dueAt: number | null;
  readonly sentAt: number | null;
  /** What the last try said, without personal data. */
  readonly lastError: string | null;
}

/** What an operator wrote. */
export interface Written {
  readonly id: number;
  readonly author: string;
  readonly at: number;
  readonly text: string;
}

/** `person`: the one of the submission, and the mail is authentic. `automatic`: a program wrote it. */
export type AnswerSender = "person" | "unverified" | "automatic";

/** A file of an answer. Null: only its name is known. */
export interface AnswerFile {
  readonly name: string;
  readonly size: number;
  readonly kept: { readonly id: number; readonly download: ResumeFacts["download"] } | null;
}

/** A mail that came in about a submission. */
export interface Answer {
  readonly id: number;
  readonly at: number;
  readonly sender: AnswerSender;
  readonly senderAddress: string;
  readonly senderName: string;
  readonly subject: string;
  readonly text: string;
  /** The text without what is quoted; null: nothing is. */
  readonly reply: string | null;
  readonly files: readonly AnswerFile[];
}

/** A mail that came in and fits no submission. */
export interface UnmatchedRow extends Omit<Answer, "sender" | "files"> {
  readonly automatic: boolean;
  /** The names of its files: none was kept. */
  readonly fileNames: readonly string[];
}

export interface ReplyFile {
  readonly id: number;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** Files of one reply, and their bytes: encoded, they and the text are below the 10 MB that a mail of Postmark may have. */
export const replyFilesMax = 5;
export const replyFileBytesMax = 7 * 1024 * 1024;
/** The message of the fault `filesTooLarge`, which the console shows before it sends any. */
export const filesTooLarge = `A reply has at most ${replyFilesMax} files, of ${replyFileBytesMax / 1024 / 1024} MB in all.`;

/** What an operator wrote to the person. Its mail says whether it was sent. */
export interface Reply extends Written {
  readonly files: readonly ReplyFile[];
  /** Of one that declines: when it is to be sent. Null: it is another reply. */
  readonly sendAt: number | null;
  /** Whether it waits for an operator's word, because the person has answered since it was written. */
  readonly held: boolean;
}

export interface Note extends Written {
  /** When its author changed it; null: never. */
  readonly editedAt: number | null;
}

/**
 * What became of a decline. `dueAt`: when its mail is due; null: nothing is sent, because there were no words or the address
 * is suppressed.
 */
export type DeclineOutcome =
  | (Extract<TriageOutcome, { result: "changed" }> & { readonly dueAt: number | null })
  | Exclude<TriageOutcome, { result: "changed" }>;

/** A decline as it would go out. */
export interface DeclinePreview extends Omit<ReplyPreview, "version" | "lastReplyAt" | "lastAnswerAt"> {
  /** Why the address gets no mail; null: it may. */
  readonly suppressed: string | null;
}

/**
 * What became of a reply. `reason`: why the address is suppressed. `changed`: the submission is not as the operator saw it, and
 * was to be done. `overtaken`: a reply or an answer came that the operator had not seen; `by`: whose, null: the person's.
 * `unattached`: a file of it is not attached (any more). `oversized`: its files are too many or too large together.
 */
export type ReplyOutcome =
  | { readonly reference: string; readonly result: "queued"; readonly id: number; readonly dueAt: number }
  | {
      readonly reference: string;
      readonly result: "suppressed" | "unknown" | "changed" | "unattached" | "oversized";
      readonly reason: string | null;
    }
  | { readonly reference: string; readonly result: "overtaken"; readonly by: string | null; readonly at: number };

/** A text that operators fill a reply with. Placeholders: `{name}`, `{reference}`, `{packages}`, `{position}`, `{company}`. */
export interface SavedAnswer {
  readonly id: number;
  readonly kind: SubmissionKind;
  readonly title: string;
  readonly text: string;
  /** Null: any. */
  readonly language: GreetingLanguage | null;
}

/**
 * A reply as it would go out: `text` is what the operator writes, `mail` has what is quoted below, too. `leftOut` names the
 * placeholders whose values are not in it, because they may be links or advertising.
 */
export interface ReplyPreview extends Pick<
  InboxRow,
  "reference" | "name" | "email" | "version" | "lastReplyAt" | "lastAnswerAt"
> {
  readonly subject: string;
  readonly text: string;
  readonly leftOut: readonly string[];
  readonly mail: string;
}

/** One change, from the audit log. */
export interface HistoryEntry {
  readonly at: number;
  readonly operator: string;
  readonly action: string;
  /** `{ "from": "new", "to": "open" }` and the like; of tags `added` and `removed`. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface ResumeFacts {
  readonly filename: string;
  readonly kind: "pdf" | "doc" | "docx";
  readonly size: number;
  readonly sha256: string;
  /** `unscanned` only where resumes are scanned at all. */
  readonly download: "allowed" | "unscanned" | "infected";
}

/** Another submission of the person. */
export interface OtherSubmission extends Pick<InboxRow, "reference" | "kind" | "receivedAt" | "status" | "summary"> {
  /** Its address where that is another: it has the same resume. */
  readonly otherEmail: string | null;
}

/** Everything about one submission. */
export interface SubmissionDetail extends InboxRow {
  /** Why it was declined; null: no reason was given, or it is not. */
  readonly declineReason: string | null;
  /** When it came to one of the last three stages; null: it has none of these. */
  readonly decidedAt: number | null;
  /** Why the address gets no mail; null: it may. */
  readonly suppressed: string | null;
  /** The fields as they were sent, by their names in the request; absent ones are null. */
  readonly fields: Readonly<Record<string, string | readonly string[] | null>>;
  /** What the form sent beside the documented fields, by its names; null: nothing. */
  readonly more: Readonly<Record<string, string>> | null;
  /** What the selected packages are called, where that is not their identifier. */
  readonly packageTitles: Readonly<Record<string, string>>;
  readonly resume: ResumeFacts | null;
  readonly mails: readonly MailRow[];
  readonly notes: readonly Note[];
  readonly replies: readonly Reply[];
  /** What the operator has attached to a reply that is not sent. */
  readonly attached: readonly ReplyFile[];
  readonly answers: readonly Answer[];
  /** Answers beyond the limits of a day, which were not kept. */
  readonly answersLeftOut: number;
  readonly history: readonly HistoryEntry[];
  /** Other submissions of the same address or the same resume, newest first, at most 5. */
  readonly duplicates: readonly OtherSubmission[];
}

/** A change of one or more submissions. `version` is the one that the operator saw. */
export interface TriageRequest {
  /** `undo`: of the outcome that is taken back; the stage and the status are then those that were there before. */
  readonly targets: readonly { readonly reference: string; readonly version: number; readonly undo?: string }[];
  readonly status?: TriageStatus;
  /** Null: unassign. */
  readonly assignee?: string | null;
  /** The status follows it, unless that is given too. Only of kinds with stages. */
  readonly stage?: Stage;
  /** Null: no longer snoozed. */
  readonly snoozedUntil?: number | null;
}

/** Tags to add to submissions and to remove from them, at most {@link tagsMax} on each. */
export interface TagRequest {
  readonly references: readonly string[];
  readonly add?: string;
  readonly remove?: string;
}

/** More on one submission tell nothing. */
export const tagsMax = 20;

/** What became of each target. A conflict changed nothing of that submission. */
export type TriageOutcome =
  | {
      readonly reference: string;
      readonly result: "changed";
      readonly version: number;
      /** Where it followed the stage. */
      readonly status?: TriageStatus;
      /** Of one whose decision this changed: takes it back with the reason, the day and the mail that waited. */
      readonly undo?: string;
    }
  | (Pick<InboxRow, "reference" | "version" | "status" | "stage" | "assignee"> & {
      readonly result: "conflict";
      readonly changedBy: string | null;
      readonly changedAt: number | null;
    })
  | { readonly reference: string; readonly result: "unknown" };

export const subscriberStatuses = ["pending", "active", "unsubscribed", "bounced", "complained"] as const;
export type SubscriberStatus = (typeof subscriberStatuses)[number];

export interface SubscriberRow {
  readonly arrival: number;
  readonly email: string;
  readonly status: SubscriberStatus;
  /** The first source and the latest. */
  readonly source: string;
  readonly lastSource: string;
  readonly subscribedAt: number;
  readonly confirmedAt: number | null;
  readonly unsubscribedAt: number | null;
  /** Of the latest form before the address was active; what is mailed to the subscriber should be written in it. */
  readonly language: Language;
  /**
   * The privacy notice that was shown; null: the form did not tell. What is asked for an active address without its owner
   * replaces nothing.
   */
  readonly consent: { readonly text: string; readonly page: string | null; readonly at: number } | null;
  readonly disposable: boolean;
}

/** Subscribers who came on a day (UTC), and how many of them from each of the most frequent sources of all days. */
export interface SubscriberArrivals {
  readonly day: string;
  readonly count: number;
  readonly sources: Readonly<Record<string, number>>;
}

export interface SubscriberFilter {
  readonly status?: SubscriberStatus;
  /** The first one, exactly. */
  readonly source?: string;
  readonly search?: string;
}

/** Subscribers by their first source. */
export interface SourceCount {
  readonly source: string;
  readonly count: number;
}

/** Rows of a file of subscribers, the names of its columns not counted, and its bytes. */
export const importRowsMax = 10_000;
export const importBytesMax = 4 * 1024 * 1024;

/** What became of a file of subscribers. */
export interface ImportReport {
  /** Rows came with a proof of consent and are active; or came without and get the welcome mail. */
  readonly active: number;
  readonly pending: number;
  /** In the order of the file. `row` is counted as spreadsheets do: the names of the columns are row 1. */
  readonly leftOut: readonly { readonly row: number; readonly email: string; readonly reason: string }[];
  /** Names of columns that were not read. */
  readonly unread: readonly string[];
}

/** How far the latest import of an operator has come. */
export interface ImportProgress {
  /** In milliseconds since the epoch. */
  readonly startedAt: number;
  /** Of the file. */
  readonly rows: number;
  /** Those that were added or left out so far. */
  readonly done: number;
  /** Null: it is still running. */
  readonly report: ImportReport | null;
}

/** With what names the person in addresses of the console; null where there is none. */
export type WithPerson<Row, Id = string> = Row & { readonly personId: Id };

/** Everything from one address, as far as the role may see it. */
export interface Person {
  readonly email: string;
  /** The latest ones, newest first. */
  readonly submissions: readonly InboxRow[];
  /** Whether there are older ones. */
  readonly more: boolean;
  readonly subscription: SubscriberRow | null;
  /** The operator who added the subscription, alone or with a file; null: a form did. */
  readonly added: { readonly by: string; readonly isImport: boolean } | null;
  /** Of the subscription, oldest first. */
  readonly mails: readonly MailRow[];
  /** Why the address gets no automatic mail; null: it may. */
  readonly suppressed: string | null;
}

/** The parts of the inbox's filter that are compared with what a form sent, or with what operators put on it. */
export const filterChoices = ["tag", "package", "opening", "position", "company", "source"] as const;

/** What the filter of the inbox can be set to: the most frequent words among the latest submissions. */
export interface FilterChoice extends Share {
  readonly part: (typeof filterChoices)[number];
}

/** Numbers of one day, UTC. */
export interface DayCount extends Readonly<Record<KindPlural, number>> {
  /** `2026-11-21` */
  readonly day: string;
}

/** How many days an overview tells of, today among them. */
export const overviewDays = [7, 30, 90] as const;
export type OverviewDays = (typeof overviewDays)[number];

/** How many submissions, the latest of each kind, the shares of an overview are counted of. */
export const sharesOfMax = 10_000;

/** After so many days without a change of its status a submission has grown old. */
export const oldAfterDays = { new: 2, open: 14 } as const;

/** How many submissions name one thing: a package, for example. */
export interface Share {
  readonly word: string;
  /** Of an opening, whose `word` is its id; in a filter of a package too, where the catalogue has one. */
  readonly title?: string;
  readonly count: number;
}

/** Days are UTC. */
export interface Overview {
  readonly days: readonly DayCount[];
  /** Median time to the first reply, or to done without one, over these days, in milliseconds; null: none yet. */
  readonly firstResponseMs: number | null;
  /** The same of as many days before: submissions of both kinds, and the median. */
  readonly before: { readonly submissions: number; readonly firstResponseMs: number | null };
  /** The 8 largest of each. A source is the further field `utm_source`, an operator the assignee. */
  readonly shares: Readonly<Record<"package" | "opening" | "position" | "source" | "assignee", readonly Share[]>>;
  /** Titles of these packages, where the catalogue has them. */
  readonly packageTitles: Readonly<Record<string, string>>;
  /** Those that have grown old ({@link oldAfterDays}) up to 1,000, and then 1,001 for "more than 1,000". */
  readonly old: { readonly new: number; readonly open: number };
  /** Submissions that wait for us longest, at most 5. */
  readonly waiting: readonly InboxRow[];
  readonly mails: { readonly queued: number; readonly sent: number; readonly failed: number; readonly inDoubt: number };
}

/** What goes wrong in the service, for all operators to see: a mail cannot tell that mail is down. */
export interface Troubles {
  /** No mail goes out. */
  readonly mail: boolean;
  /** A disk is nearly full. */
  readonly disk: boolean;
}

/** What a new installation has and lacks. */
export interface Setup {
  /** The base address of the service. */
  readonly url: string;
  /** Whether its front page has the forms. */
  readonly hasFrontPage: boolean;
  readonly mail: "mailbox" | "postmark" | "smtp";
  /** Invited ones too. */
  readonly operators: number;
}

export interface AuditRow extends HistoryEntry {
  readonly id: number;
  readonly subject: string;
}

/** What operators read of each other. */
export interface OperatorName {
  readonly email: string;
  /** The display name; null: none is set. */
  readonly name: string | null;
}

/** The account of the operator who asks. */
export interface Account extends OperatorName {
  /** Whether a mail tells of what others assign. */
  readonly mailAssigned: boolean;
  /** False: the provider alone vouches for the operator. */
  readonly hasPassword: boolean;
}

/** Whose account a link of an invitation opens. */
export interface Invitation extends OperatorName {
  readonly role: Role;
  readonly expiresAt: number;
}

export interface OperatorRow extends OperatorName {
  readonly role: Role;
  /** `invited` until a password is set or a sign-in by OpenID Connect. */
  readonly state: "invited" | "active";
  readonly createdAt: number;
}

/** An open session of an operator. */
export interface SessionRow {
  /** Names the session among those of its operator; opens nothing. */
  readonly id: string;
  /** What the browser calls itself, in a few words; empty: it did not say. */
  readonly device: string;
  /** The network of the client address: a /24 of IPv4, a /48 of IPv6. */
  readonly network: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** To the minute; milliseconds since the epoch. */
  readonly seenAt: number;
}

export interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly usedAt: number | null;
}

const otherEvents = [
  "answer.received",
  "subscriber.confirmed",
  "subscriber.unsubscribed",
  "submission.changed",
  "person.erased",
] as const;

/** What a webhook can be sent. */
export type WebhookEvent = `${SubmissionKind}.received` | (typeof otherEvents)[number];

/** All events: first those of the kinds of submissions. */
export const webhookEvents: readonly WebhookEvent[] = [
  ...submissionKinds.map((kind) => `${kind}.received` as const),
  ...otherEvents,
];

/** What a delivery tells: an event, or that an administrator tries the address. */
export type DeliveredEvent = WebhookEvent | "webhook.test";

/** An address that is told of events. Its secret is shown once. */
export interface WebhookRow {
  readonly id: number;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: number;
  /** Until then deliveries are signed with the secret before this one, too; null: they are not. */
  readonly oldSecretUntil: number | null;
  /** The latest delivery; null: none. */
  readonly last: Pick<DeliveryRow, "status" | "createdAt" | "lastAnswer"> | null;
}

export type DeliveryStatus = "queued" | "delivered" | "failed";

/** One event on its way to one webhook. */
export interface DeliveryRow {
  /** The number of its row, by which lists go on. */
  readonly number: number;
  /** The `webhook-id`; the same for all tries. */
  readonly id: string;
  readonly webhook: number;
  readonly event: DeliveredEvent;
  /** Of the submission; null for others. */
  readonly reference: string | null;
  readonly status: DeliveryStatus;
  /** Tries since it was stored, or since it was replayed. */
  readonly attempts: number;
  /** When the event happened. */
  readonly createdAt: number;
  /** When the next try is due; null unless queued. */
  readonly dueAt: number | null;
  /** When it was delivered or given up. */
  readonly endedAt: number | null;
  /** What became of the last try: `HTTP 500`, or why there was no answer. */
  readonly lastAnswer: string | null;
}
