// The mail port: hands mails to a provider and says of each what became of it. It knows nothing of the outbox, of leases
// or of retries.
import type { MailKind } from "../storage/records.ts";

/** The sender of every mail. */
export interface Sender {
  /** The display name, or null when there is none. */
  readonly name: string | null;
  /** One e-mail address. */
  readonly address: string;
}

/** A mail as it is sent. */
export interface MailContent {
  /** The display name of the sender, where it is not the installation's. */
  readonly fromName?: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where answers go; empty: to the sender. */
  readonly replyTo: readonly string[];
  /** Headers beside those that every mail has. Neither names nor values hold line breaks. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail to be sent now. */
export interface OutgoingMail {
  /** Of the outbox; travels as metadata so that a provider can be asked about it. */
  readonly id: string;
  readonly kind: MailKind;
  readonly reference: string | null;
  /** Of the submission, null when there is none; travels as metadata too. */
  readonly requestId: string | null;
  readonly content: MailContent;
}

interface Taken {
  readonly result: "taken";
  readonly providerId: string;
  /** Why some of its recipients do not get it; undefined when all of them do. */
  readonly missed?: string;
}

export interface Later {
  readonly result: "later";
  readonly error: string;
  /**
   * - `provider`: it did not take the mail, and may take it another time.
   * - `recipient`: the same, but it works: it will not have the mail for this recipient now.
   * - `limit`: it did not take the mail because we send too fast.
   * - `ambiguous`: it may have taken the mail all the same.
   * - `configuration`: our token or account is refused, for any recipient.
   */
  readonly cause: "provider" | "recipient" | "limit" | "ambiguous" | "configuration";
  /** What the provider asked for, in milliseconds; undefined when it named no time. */
  readonly retryAfterMs?: number;
}

/**
 * What became of a mail.
 *
 * - `taken`: the provider has it and gave it an id.
 * - `refused`: never try again (invalid or inactive recipient, message not acceptable).
 * - `later`: try again.
 */
export type MailOutcome =
  | Taken
  | { readonly result: "refused"; readonly error: string; readonly inactiveRecipient: boolean }
  | Later;

/** What a provider says of a mail that it may have: `absent` when it knows none such, `later` when it gives no answer. */
export type MailFinding = Taken | { readonly result: "absent" } | Later;

/** What can be done about a mail that may have been sent. */
export type DoubtPolicy =
  /** The provider is asked whether it has the mail. */
  | "ask"
  /** It is sent again: that replaces the first. */
  | "replace"
  /** It is sent once more at most: the provider cannot be asked, and would have it twice. */
  | "once-more";

/**
 * Milliseconds within which a mail is handed over, counted from the call. A lease is renewed from then on, so a mail
 * whose lease ends sooner is not begun.
 */
export const handOverMsMax = 10_000;

export interface Mailer extends AsyncDisposable {
  /** Most mails in one call. */
  readonly batchMax: number;
  /** Most calls under way at once: for mails that were just stored, and for mails that are due. */
  readonly calls: { readonly fresh: number; readonly due: number };
  /**
   * While the latest call for fresh mails is younger than this, in milliseconds, no other begins: what comes meanwhile
   * shares the next one.
   */
  readonly gatherMs: number;
  readonly doubt: DoubtPolicy;
  /**
   * Sends mails and answers in their order, one outcome each. Errors hold no personal data and no secret. A call may take
   * longer than {@link handOverMsMax} only for mails that were handed over by then.
   *
   * Rejects only when a mail of them cannot be written, or by a mistake in the mailer. Then none was handed over.
   */
  send(mails: readonly OutgoingMail[]): Promise<MailOutcome[]>;
  /** Asks which of these mails the provider has, and answers in their order. Sends nothing. There with `ask` only. */
  find?(mails: readonly Pick<OutgoingMail, "id">[]): Promise<MailFinding[]>;
  /** Whether the provider knows us: null, or why it would not take mails. Sends nothing. The mailbox has none. */
  check?(): Promise<string | null>;
}
