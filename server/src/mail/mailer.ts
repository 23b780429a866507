// The mail port: hands mails to whoever delivers them and says of each what became of it. A mailer never throws for a
// mail; it knows nothing of the outbox, of leases or of retries.
import type { MailContent, MailKind } from "../storage/records.ts";

/** A mail to be sent now. */
export interface OutgoingMail {
  /** The outbox id; travels as metadata so that a provider can be asked about it. */
  readonly id: string;
  readonly kind: MailKind;
  readonly reference: string | null;
  readonly content: MailContent;
}

/**
 * What became of a mail.
 *
 * - `taken`: the provider has it and gave it an id.
 * - `refused`: never try again (invalid or inactive recipient, message not acceptable).
 * - `later`: try again. `ambiguous` when the provider may have taken it all the same; `configuration` when it is our
 *   token or account that is refused, which is nobody's fault among the recipients.
 */
export type MailOutcome =
  | { readonly result: "taken"; readonly providerId: string }
  | { readonly result: "refused"; readonly error: string; readonly inactiveRecipient: boolean }
  | {
      readonly result: "later";
      readonly error: string;
      readonly cause: "provider" | "ambiguous" | "configuration";
      /** What the provider asked for, in milliseconds; undefined when it named no time. */
      readonly retryAfterMs?: number;
    };

export interface Mailer extends AsyncDisposable {
  /** Most mails in one call of {@link send}. */
  readonly batchMax: number;
  /** Sends mails and answers in their order, one outcome each. Errors hold no personal data and no secret. */
  send(mails: readonly OutgoingMail[]): Promise<MailOutcome[]>;
}
