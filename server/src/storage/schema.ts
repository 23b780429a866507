// The tables as the queries see them, one interface for every engine. Column types are what crosses the driver: text,
// numbers (times in milliseconds since the epoch), JSON as text. Knows no engine; the DDL is in each engine's migrations.
import type {
  MailKind,
  MailStatus,
  ResumeRecord,
  ScanState,
  SubscriberStatus,
  SuppressionReason,
  TriageStatus,
} from "./records.ts";

interface ReceivedColumns {
  readonly received_at: number;
  readonly door: "rest" | "rpc";
  readonly request_id: string;
  /** 0 or 1. */
  readonly email_disposable: number;
}

export interface InquiryTable extends ReceivedColumns {
  readonly reference: string;
  readonly status: TriageStatus;
  readonly name: string;
  readonly company: string | null;
  readonly email: string;
  /** JSON array of text. */
  readonly selected_package_ids: string;
}

export interface ApplicationTable extends ReceivedColumns {
  readonly reference: string;
  readonly status: TriageStatus;
  readonly full_name: string;
  readonly email: string;
  readonly position: string;
  readonly phone: string | null;
  readonly company: string | null;
  readonly availability: string | null;
  readonly accent: string | null;
  readonly portfolio_url: string | null;
  readonly resume_url: string | null;
  readonly cover_letter: string | null;
  /** The vault's key; the five resume columns are null together. */
  readonly resume_key: string | null;
  readonly resume_filename: string | null;
  readonly resume_kind: ResumeRecord["kind"] | null;
  readonly resume_size: number | null;
  readonly resume_sha256: string | null;
  /** Null without a resume. */
  readonly resume_scan: ScanState | null;
}

export interface SubscriberTable {
  /** The address as it is compared, see `emailKey`. */
  readonly email_key: string;
  /** The address as it was first written. */
  readonly email: string;
  readonly status: SubscriberStatus;
  readonly source: string;
  readonly last_source: string;
  readonly subscribed_at: number;
  /** When the latest welcome mail was stored; null when none was, because the address may not be mailed. */
  readonly welcomed_at: number | null;
  readonly confirmed_at: number | null;
  readonly unsubscribed_at: number | null;
  /** Who asked first: evidence of consent. */
  readonly door: "rest" | "rpc";
  readonly request_id: string;
  /** 0 or 1, as of the latest request. */
  readonly email_disposable: number;
}

export interface NewsletterTokenTable {
  /** SHA-256 of the token, lower-case hexadecimal. The token itself exists only in the mail. */
  readonly token_hash: string;
  readonly email_key: string;
  readonly purpose: "confirm" | "unsubscribe";
  readonly created_at: number;
  /** Null: never. */
  readonly expires_at: number | null;
}

/** The outbox. */
export interface MailTable {
  readonly id: string;
  readonly kind: MailKind;
  readonly reference: string | null;
  /** JSON array of addresses. */
  readonly recipients: string;
  readonly subject: string;
  /** The next four are cleared once the mail is sent. */
  readonly reply_to: string | null;
  readonly text: string | null;
  readonly html: string | null;
  /** JSON object of text. */
  readonly headers: string | null;
  readonly status: MailStatus;
  readonly attempts: number;
  /** `emailKey` of the submitter for automatic mails, null for notices. */
  readonly automatic_to: string | null;
  readonly created_at: number;
  /** Null once sent or failed. */
  readonly due_at: number | null;
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
  /** See `LeasedMail.denials`. */
  readonly denials: number | null;
  readonly sent_at: number | null;
  readonly provider_id: string | null;
  readonly last_error: string | null;
}

/** What is known of addresses that got, or get, no automatic mail any more. */
export interface SuppressionTable {
  readonly email_key: string;
  /** Null: lifted. */
  readonly reason: SuppressionReason | null;
  /** When what is known last happened, by the provider's word. */
  readonly changed_at: number;
}

export interface IdempotencyTable {
  readonly procedure: string;
  /** SHA-256 of the key, lower-case hexadecimal. */
  readonly key_hash: string;
  readonly fingerprint: string;
  /** Null for subscriptions, which have none. */
  readonly reference: string | null;
  /** The id of the receipt in the outbox, if one was stored. */
  readonly receipt_mail: string | null;
  readonly created_at: number;
}

/** Challenges whose solutions were taken, until nobody would take them again anyway. */
export interface SpentChallengeTable {
  /** SHA-256 of the challenge's signature, lower-case hexadecimal. */
  readonly challenge_hash: string;
  readonly expires_at: number;
}

interface SchemaMigrationTable {
  readonly number: number;
  readonly name: string;
  readonly applied_at: number;
}

/** One row that the readiness check writes to. */
interface ProbeTable {
  readonly id: number;
  readonly writes: number;
}

export interface Database {
  readonly inquiry: InquiryTable;
  readonly application: ApplicationTable;
  readonly subscriber: SubscriberTable;
  readonly newsletter_token: NewsletterTokenTable;
  readonly mail: MailTable;
  readonly suppression: SuppressionTable;
  readonly idempotency: IdempotencyTable;
  readonly spent_challenge: SpentChallengeTable;
  readonly schema_migration: SchemaMigrationTable;
  readonly probe: ProbeTable;
}
