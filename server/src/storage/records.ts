// What is stored, as the rest of the service sees it: plain data, times in milliseconds since the epoch, no engine's
// column names. Optional facts are null, never undefined, so that every engine stores and returns the same thing.
import type {
  Answer,
  MailRow,
  ResumeFacts,
  SubmissionDetail,
  SubscriberRow,
  SubscriberStatus,
} from "@submissions/shared/console";
import type { kinds, SubmissionKind } from "@submissions/shared/kinds";
import type { Language } from "@submissions/shared/language";
import type { Stage } from "@submissions/shared/stages";
import type { InputOf } from "../kinds.ts";

export type { AnswerSender, MailStatus, SubscriberStatus, TriageStatus } from "@submissions/shared/console";
export type { SubmissionKind } from "@submissions/shared/kinds";

/** Of subscribers also `console`: an operator added the address. */
export type Door = "rest" | "rpc" | "console";

/** `text`: its version, as the form called it. `page`: that showed it; null: unknown. */
export type ConsentRecord = NonNullable<SubscriberRow["consent"]>;

export interface Received {
  /** When the request was understood. */
  readonly receivedAt: number;
  readonly door: Door;
  readonly requestId: string;
  /** Of the form that was filled in; mails to the submitter are written in it. */
  readonly language: Language;
  /** As it was sent; compared by `emailKey`. */
  readonly email: string;
  /** Null: the form sent none. */
  readonly consent: ConsentRecord | null;
}

/** What a schema reads, as it is stored: absent fields are null. */
type Value<Read> = Read extends readonly (infer One)[] ? readonly One[] : Read extends undefined ? null : Read;

/** The name of a field in the record. A file has none: it is stored apart. */
type StoredName<Name, Field> = Field extends { readonly kind: "file" }
  ? never
  : Field extends { readonly storedAs: infer Other extends string }
    ? Other
    : Name;

type Values<Input, Fields> = {
  readonly [Name in keyof Input & keyof Fields as StoredName<Name, Fields[Name]>]-?: Value<Input[Name]>;
};

/** The fields of each kind by their names in the record. Every kind has a `name`. */
export type SubmissionValues = {
  readonly [Kind in SubmissionKind]: Values<InputOf<Kind>, (typeof kinds)[Kind]["fields"]>;
};

interface Sent extends Received {
  /** What a form sent beside the documented fields, by its names; null: nothing. */
  readonly more: Readonly<Record<string, string>> | null;
  /** Null: there is none. */
  readonly resume: ResumeRecord | null;
  /** The id of the opening that was applied for; absent: none of this service. */
  readonly opening?: string;
}

export type SubmissionRecord<Kind extends SubmissionKind = SubmissionKind> = {
  [One in Kind]: Sent & SubmissionValues[One] & { readonly kind: One };
}[Kind];

/** The name is the applicant's, for display only. The hash is lower-case hexadecimal. */
export interface ResumeRecord extends Omit<ResumeFacts, "download"> {
  /** The vault's name for the bytes; random. */
  readonly key: string;
}

/** A newsletter subscription; the store decides what it changes. */
export interface SubscriptionRecord extends Received {
  readonly kind: "subscription";
  /** The normalised label. */
  readonly source: string;
  /** `double`: the address must confirm; `single`: active at once. */
  readonly optIn: OptIn;
  /** The token in the confirm link. Its hash is stored for good, the token itself until its mail is sent. */
  readonly confirm: LinkToken & { readonly expiresAt: number };
  /** The token in the unsubscribe link; it does not expire. */
  readonly unsubscribe: LinkToken;
  /** Of an address that an operator adds. `proven`: with a proof of consent, so it is active at once and gets no mail. */
  readonly added?: "proven" | "unproven";
}

/** Why an address that an operator adds is left out: what it is already, or that it gets no mail. */
export type LeftOutReason = SubscriberStatus | "suppressed";

export type OptIn = "double" | "single";

/** What a Message-ID or an address of ours names: a row, and when that was received or stored. A number alone could repeat after a restore. */
export interface Named {
  readonly of: "submission" | "mail";
  readonly row: number;
  readonly at: number;
}

/** What a Message-ID or an address claims to name, before that is proven. */
export type Claimed = Pick<Named, "of" | "row">;

/** An unguessable token and its SHA-256 in lower-case hexadecimal. */
export interface LinkToken {
  readonly token: string;
  readonly hash: string;
}

/** What operators change of a submission, and what follows from it. The version counts their changes, from 1. */
type Followed = "status" | "stage" | "declineReason" | "decidedAt" | "assignee" | "tags" | "version" | "snoozedUntil";

/** What the store adds to a submission. */
interface AddedByStore extends Pick<SubmissionDetail, Followed | "lastReplyAt" | "lastAnswerAt" | "waitedFor"> {
  /** Ascends in the order in which submissions were stored; never used twice. Exports and lists are in this order. */
  readonly arrival: number;
  /** `INQ-yyyymmdd-dddddd`, with the prefix of its kind. */
  readonly reference: string;
  /** Null: none. Replies that were taken back do not count. */
  readonly firstReplyAt: number | null;
  /** Whether the address is at a host of throw-away addresses. Found out soon after the submission was stored. */
  readonly disposable: boolean;
}

export type StoredSubmission<Kind extends SubmissionKind = SubmissionKind> = {
  [One in Kind]: SubmissionRecord<One> & AddedByStore;
}[Kind];

/** What a kept file of an answer is, by its bytes. */
export type AnswerFileKind = ResumeRecord["kind"] | "png" | "jpeg";

/** What the virus scanner said of a resume; `unscanned` until it has. */
export type ScanState = "unscanned" | "clean" | "infected";

/** A subscriber; whether the address is at a host of throw-away addresses is computed where it is shown. */
export type StoredSubscriber = Omit<SubscriberRow, "disposable">;

export type MailKind =
  | `${SubmissionKind}-${"receipt" | "notice" | "reply"}`
  | "newsletter-welcome"
  | "assignment"
  | "answer"
  | "invitation"
  | "digest";

/** What a mail is about; its text is written from this when it is sent. */
export type MailSubject =
  | { readonly submission: StoredSubmission; readonly reply?: WrittenReply; readonly answered?: Answered }
  | { readonly welcome: Welcome }
  | { readonly assignment: Assignment }
  | { readonly invitation: Invitation }
  | { readonly digest: Digest };

/** What others have assigned to an operator. */
export interface Assignment {
  readonly email: string;
  /** By reference, who assigned it: the display name, or the address where none is set. */
  readonly assigned: Readonly<Record<string, string>>;
}

/** The link with which an operator sets a password: the first one, or a new one. */
export interface Invitation {
  readonly email: string;
  readonly token: string;
}

export interface Answered {
  /** Whether it is certain that the person of the submission did. */
  readonly verified: boolean;
  /** The operator whom the mail tells of it; null: the team. */
  readonly to: string | null;
}

/** A decision as it was, with the mails that waited to tell of it. */
export interface Former extends Pick<StoredSubmission, "status" | "declineReason" | "decidedAt"> {
  readonly stage: Stage;
  readonly mails: readonly FormerMail[];
}

/** The mail of a decline that was taken back. */
export interface FormerMail {
  readonly author: string;
  readonly at: number;
  readonly text: string;
  readonly sendAt: number;
  readonly releasedAt: number | null;
  /** Whether the team was to get a copy. */
  readonly copies: boolean;
}

export interface StoredAnswerFile {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  /** Null: only its name is known. */
  readonly scan: ScanState | null;
}

export interface StoredAnswer extends Omit<Answer, "files"> {
  readonly files: readonly StoredAnswerFile[];
}

/** A reply of an operator, as its mails need it. A notice with one is the team's copy. */
export interface WrittenReply {
  readonly text: string;
  /** The operator: the display name, or the address where none is set. */
  readonly author: string;
  /** Whether what the person wrote is quoted below it. */
  readonly quoted: boolean;
  /** Whether the person has got the receipt. */
  readonly followsReceipt: boolean;
  /** The Message-ID, without brackets, of the latest answer before it; null: there is none. */
  readonly followsAnswer: string | null;
  /** In their order. The team's copy names them. */
  readonly files: readonly MailFile[];
}

/** A file that leaves with a mail, by its key in the vault. */
export interface MailFile {
  readonly key: string;
  readonly sha256: string;
  readonly name: string;
}

/** What waits at an instant, for the daily digest. Holds no personal data: it is stored, and erasing does not look there. */
export interface Digest extends Readonly<Record<SubmissionKind, Readonly<Record<"new" | "open", number>>>> {
  /** The day that it is of: `2026-11-21`, UTC. */
  readonly day: string;
  readonly mails: { readonly failed: number; readonly inDoubt: number };
  /** New submissions that wait longest. */
  readonly longest: readonly Pick<StoredSubmission, "kind" | "reference" | "receivedAt">[];
  /** When the newest whole backup was made, where one was missed since. Absent where none was ever made. */
  readonly lastBackupAt?: number;
}

export interface Welcome {
  readonly email: string;
  /** Of the subscription that asked for it. */
  readonly requestId: string;
  readonly language: Language;
  /** Null under single opt-in: there is nothing to confirm. */
  readonly confirmToken: string | null;
  readonly unsubscribeToken: string;
}

/** A mail in the hands of the process that holds its lease. */
export interface LeasedMail extends Pick<StoredMail, "kind" | "createdAt"> {
  /** Unique for good, also over databases: the provider is asked about a mail by it. Written by `rules/outbox-row.ts`. */
  readonly id: string;
  readonly about: MailSubject;
  /** Tries made before this one. */
  readonly attempts: number;
  /**
   * Null when the provider certainly does not have the mail. Otherwise it may have been sent all the same (an answer was
   * lost, or the process that had it died), and the provider has said this often since then that it knows no such mail.
   */
  readonly denials: number | null;
  /** When the lease ends, by the store's clock. */
  readonly leasedUntil: number;
  /** The `emailKey`s of addresses that have it, where others of the same mail do not have it yet. */
  readonly has?: readonly string[];
}

/** A leased mail that must not be sent, or cannot be read. Who holds the lease records it as failed. */
export interface RefusedMail extends Omit<LeasedMail, "about"> {
  readonly about: { readonly refused: string; readonly requestId: string | null };
}

/** A mail as the command line shows it. `email`, of a notice too, is of the submitter or subscriber that it is about. */
export interface StoredMail extends MailRow {
  readonly kind: MailKind;
  /** The provider's id of a sent mail. */
  readonly providerId: string | null;
}

/** `has` of a mail that is not sent: see {@link LeasedMail}; without it those of before stay. */
export type MailSettlement = { readonly id: string; readonly at: number; readonly has?: readonly string[] } & (
  | { readonly result: "sent"; readonly providerId: string }
  | {
      readonly result: "failed";
      readonly error: string;
      /** The provider refused it because of its recipient, who gets no automatic mail any more. */
      readonly inactiveRecipient?: boolean;
      /** Kept for the day when an operator wakes the mail. */
      readonly denials: number | null;
    }
  /** It may have been sent, the provider cannot be asked, and it is not tried again. */
  | { readonly result: "in-doubt"; readonly error: string; readonly denials: number | null }
  | {
      readonly result: "later";
      readonly dueAt: number;
      readonly error: string;
      readonly denials: number | null;
      /** False when the mail was only asked about, or kept back: no try is counted. */
      readonly tried: boolean;
    }
);

/** What a link in a welcome mail is good for. */
export type LinkPurpose = "confirm" | "unsubscribe";

export interface FollowedLink {
  /** SHA-256 of its token, lower-case hexadecimal. */
  readonly tokenHash: string;
  readonly at: number;
}

/**
 * Why an address gets no automatic mail any more. `bounced`, `complained` and `unsubscribed` (by its owner, with the
 * provider) are the provider's news; `inactive`: the provider refused a mail to it without saying why; `manual`: the
 * team asked the provider not to mail it.
 */
export type SuppressionReason = "bounced" | "complained" | "unsubscribed" | "inactive" | "manual";

export interface SuppressionChange {
  readonly email: string;
  /** Null: it may be mailed again. */
  readonly reason: SuppressionReason | null;
  /** When it happened, which may be long before it is reported. */
  readonly at: number;
}

export interface IdempotencyRecord {
  /** `marketplace.inquiry`; keys of different procedures have nothing to do with each other. */
  readonly procedure: string;
  /** SHA-256 of the key, lower-case hexadecimal. */
  readonly keyHash: string;
  /** SHA-256 of what was asked for, lower-case hexadecimal. */
  readonly fingerprint: string;
  readonly createdAt: number;
}

/** A challenge whose solution came with a submission. It is good for one. */
export interface ChallengeRecord {
  /** SHA-256 of its signature, lower-case hexadecimal. */
  readonly hash: string;
  /** From this moment on no process takes a solution of it, spent or not. */
  readonly expiresAt: number;
}

export interface EarlierSubmission {
  readonly fingerprint: string;
  /** Null for a subscription, which has none. */
  readonly reference: string | null;
  /** Whether the provider has taken its receipt by now. */
  readonly receiptSent: boolean;
  readonly spam: boolean;
}
