// What is stored, as the rest of the service sees it: plain data, times in milliseconds since the epoch, no engine's
// column names. Optional facts are null, never undefined, so that every engine stores and returns the same thing.

/** Who called, as far as it is worth keeping. */
export interface OriginRecord {
  /** Which door the submission came through. */
  readonly door: "rest" | "rpc";
  readonly requestId: string;
}

interface Received {
  /** Milliseconds since the epoch, at the moment the submission was accepted. */
  readonly receivedAt: number;
  readonly origin: OriginRecord;
  /** Whether its e-mail address is at a host of throw-away addresses. No, if left out. */
  readonly emailDisposable?: boolean;
}

interface Triaged extends Received {
  /** New, if left out. What is born as spam is kept for operators to release. */
  readonly status?: TriageStatus;
}

export interface InquiryRecord extends Triaged {
  /** `INQ-yyyymmdd-dddddd`. */
  readonly reference: string;
  readonly name: string;
  readonly company: string | null;
  readonly email: string;
  readonly selectedPackageIds: readonly string[];
}

/** The resume of an application; its bytes lie in the vault under `key`. */
export interface ResumeRecord {
  /** The vault's name for the bytes; random, tells nothing. */
  readonly key: string;
  /** The name the applicant gave it, for display only. */
  readonly filename: string;
  readonly kind: "pdf" | "doc" | "docx";
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** What the virus scanner said of a resume; `unscanned` until it has. */
export type ScanState = "unscanned" | "clean" | "infected";

/** A resume as it is stored. */
export type StoredResume = ResumeRecord & { readonly scan: ScanState };

export interface ApplicationRecord extends Triaged {
  /** `APP-yyyymmdd-dddddd`. */
  readonly reference: string;
  readonly fullName: string;
  readonly email: string;
  readonly position: string;
  readonly phone: string | null;
  readonly company: string | null;
  readonly availability: string | null;
  readonly accent: string | null;
  readonly portfolioUrl: string | null;
  readonly resumeUrl: string | null;
  readonly coverLetter: string | null;
  readonly resume: ResumeRecord | null;
}

/** Where a submission stands in the hands of the team. */
export type TriageStatus = "new" | "open" | "done" | "spam";

/** A submission that has a reference. */
export type ReferencedSubmission =
  | { readonly kind: "inquiry"; readonly inquiry: StoredInquiry }
  | { readonly kind: "application"; readonly application: StoredApplication };

export type StoredInquiry = InquiryRecord & Screened;
export type StoredApplication = ApplicationRecord & Screened;

/** What may be left out of a record, and is always there once it is stored. */
interface Screened {
  readonly status: TriageStatus;
  readonly emailDisposable: boolean;
}

export type SubscriberStatus = "pending" | "active" | "unsubscribed" | "bounced" | "complained";

/** What a subscription asks for; the store decides what it changes. */
export interface SubscriptionRecord extends Received {
  readonly email: string;
  /** The normalised label. */
  readonly source: string;
  /** `double`: the address must confirm; `single`: active at once. */
  readonly optIn: "double" | "single";
  /** SHA-256 of the token in the confirm link of the welcome mail, lower-case hexadecimal. */
  readonly confirmTokenHash: string;
  /** When the confirm link stops working. */
  readonly confirmExpiresAt: number;
  /** SHA-256 of the token in the unsubscribe link of the welcome mail. */
  readonly unsubscribeTokenHash: string;
}

export interface StoredSubscriber {
  readonly email: string;
  readonly status: SubscriberStatus;
  /** The first source and the latest. */
  readonly source: string;
  readonly lastSource: string;
  readonly subscribedAt: number;
  readonly confirmedAt: number | null;
  readonly unsubscribedAt: number | null;
  /** As of the latest request. */
  readonly emailDisposable: boolean;
}

export type MailKind =
  | "inquiry-receipt"
  | "inquiry-notice"
  | "newsletter-welcome"
  | "application-receipt"
  | "application-notice";

/** What goes on the wire: everything a mailer needs, nothing it has to look up. */
export interface MailContent {
  /** One address, or for notices the team's addresses. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where an answer goes, for notices. */
  readonly replyTo: string | null;
  /** Further headers by name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail about to be stored with its submission. */
export interface NewMail {
  /** A UUID; also the mail's metadata at the provider and the name of the mailbox file. */
  readonly id: string;
  readonly kind: MailKind;
  /** The reference of the submission, or null for the newsletter. */
  readonly reference: string | null;
  readonly content: MailContent;
}

/**
 * `queued`: to be sent when due. `sent`: the provider took it. `failed`: refused for good, or given up after 72 hours;
 * only an operator's retry wakes it.
 */
export type MailStatus = "queued" | "sent" | "failed";

/** A mail in the hands of the process that holds its lease. */
export interface LeasedMail extends NewMail {
  /** Tries made before this one. */
  readonly attempts: number;
  /** When the mail was stored. */
  readonly createdAt: number;
  /**
   * Null when the provider certainly does not have the mail. Otherwise it may have been sent all the same (an answer was
   * lost, or the process that had it died), and the provider has said this often since then that it knows no such mail.
   */
  readonly denials: number | null;
}

/** A mail as the operator sees it. The body of a sent mail is gone. */
export interface StoredMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly reference: string | null;
  readonly to: readonly string[];
  readonly subject: string;
  readonly status: MailStatus;
  readonly attempts: number;
  readonly createdAt: number;
  /** When the next try is due; null once sent or failed. */
  readonly dueAt: number | null;
  readonly sentAt: number | null;
  /** The provider's id of a sent mail. */
  readonly providerId: string | null;
  /** What the last try said, without personal data. */
  readonly lastError: string | null;
}

/** How a try ended. */
export type MailSettlement = { readonly id: string; readonly at: number } & (
  | { readonly result: "sent"; readonly providerId: string }
  | {
      readonly result: "failed";
      readonly error: string;
      /** The provider refused it because of its recipient, who is to get no automatic mail any more. */
      readonly inactiveRecipient?: boolean;
      /** Kept for the day when an operator wakes the mail. */
      readonly denials: number | null;
    }
  | {
      readonly result: "later";
      readonly dueAt: number;
      readonly error: string;
      readonly denials: number | null;
      /** False when the mail was only asked about, or kept back: no try is counted. */
      readonly tried: boolean;
    }
);

/** What a link in a welcome mail is for; it is good for nothing else. */
export type LinkPurpose = "confirm" | "unsubscribe";

/** A link that somebody followed. */
export interface FollowedLink {
  /** SHA-256 of its token, lower-case hexadecimal. */
  readonly tokenHash: string;
  readonly at: number;
}

/**
 * Why an address gets no automatic mail any more. `bounced`, `complained` and `unsubscribed` (by its owner, with the
 * provider) are the provider's news; `inactive`: the provider refused a mail to it without saying why; `manual`: the
 * team told the provider not to mail it.
 */
export type SuppressionReason = "bounced" | "complained" | "unsubscribed" | "inactive" | "manual";

/** News of an address: it is not to be mailed any more, or may be mailed again. */
export interface SuppressionChange {
  readonly email: string;
  /** Null: it may be mailed again. */
  readonly reason: SuppressionReason | null;
  /** When it happened, which may be long before it is told. */
  readonly at: number;
}

/** A key under which a caller may repeat a submission. */
export interface IdempotencyRecord {
  /** `marketplace.inquiry`; keys of different procedures have nothing to do with each other. */
  readonly procedure: string;
  /** SHA-256 of the key, lower-case hexadecimal. */
  readonly keyHash: string;
  /** SHA-256 of what was asked for. */
  readonly fingerprint: string;
  readonly createdAt: number;
}

/** A challenge whose solution came with a submission. It is good for one. */
export interface ChallengeRecord {
  /** SHA-256 of its signature, lower-case hexadecimal. */
  readonly hash: string;
  /** From this moment on nobody takes a solution of it, spent or not. */
  readonly expiresAt: number;
}

/** The submission that a key stands for. */
export interface EarlierSubmission {
  readonly fingerprint: string;
  /** Null for a subscription, which has none. */
  readonly reference: string | null;
  /** Whether the provider has taken its receipt by now. */
  readonly receiptSent: boolean;
}
