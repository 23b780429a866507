// The mail port: hands mails to whoever delivers them and says of each what became of it. It knows nothing of the
// outbox, of leases or of retries.
import type { MailContent, MailKind } from "../storage/records.ts";

/** A mail to be sent now. */
export interface OutgoingMail {
  /** The outbox id; travels as metadata so that a provider can be asked about it. */
  readonly id: string;
  readonly kind: MailKind;
  readonly reference: string | null;
  readonly content: MailContent;
}

interface Taken {
  readonly result: "taken";
  readonly providerId: string;
}

interface Later {
  readonly result: "later";
  readonly error: string;
  /**
   * - `provider`: it did not take the mail, and may take it another time.
   * - `ambiguous`: it may have taken the mail all the same.
   * - `configuration`: our token or account is refused, which is nobody's fault among the recipients.
   */
  readonly cause: "provider" | "ambiguous" | "configuration";
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

/** Most time that a call of a mailer takes, in milliseconds: whoever holds the lease on its mails counts on it. */
export const mailerMsMax = 10_000;

export interface Mailer extends AsyncDisposable {
  /** Most mails in one call. */
  readonly batchMax: number;
  /**
   * Sends mails and answers in their order, one outcome each. Errors hold no personal data and no secret.
   *
   * Rejects only when a mail of them cannot be written, or by a mistake in the mailer: none of them was handed over then.
   */
  send(mails: readonly OutgoingMail[]): Promise<MailOutcome[]>;
  /**
   * Asks the provider which of these mails it has, and answers in their order. Sends nothing. Absent where there is
   * nobody to ask (SMTP), and where sending a mail again replaces it (the mailbox).
   */
  find?(mails: readonly Pick<OutgoingMail, "id">[]): Promise<MailFinding[]>;
}
