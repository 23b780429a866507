// The mail port: hands mails to a provider and says what became of each. It knows nothing of outbox, leases or retries.
import type { MailFile, MailKind } from "../storage/records.ts";

/** The sender of every mail: a display name, if there is one, and an e-mail address. */
export interface Sender {
  readonly name: string | null;
  readonly address: string;
}

export interface MailContent {
  /** The display name of the sender, where it is not the installation's. */
  readonly fromName?: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** Each part was joined into one piece: JSON takes that as it is. */
  readonly text: string;
  readonly html: string;
  /** Where answers go; empty: to the sender. */
  readonly replyTo: readonly string[];
  /** What leaves with it. The bytes lie in the vault until it is handed over. */
  readonly files?: readonly MailFile[];
  /** Beside those that every mail has. Neither names nor values hold line breaks. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail to be sent now. All but its content travels as metadata, so that a provider can be asked about the id. */
export interface OutgoingMail {
  readonly id: string;
  readonly kind: MailKind;
  /** Of the submission; null: there is none. */
  readonly reference: string | null;
  readonly requestId: string | null;
  /** The submission whose receipt it is; null: it is no receipt. */
  readonly receiptOf: { readonly arrival: number; readonly receivedAt: number; readonly reference: string } | null;
  readonly content: MailContent;
  readonly attachments?: readonly Attachment[];
}

export interface Attachment {
  readonly name: string;
  /** `application/pdf`. */
  readonly type: string;
  readonly bytes: Buffer;
}

interface Taken {
  readonly result: "taken";
  readonly providerId: string;
  /** Why some of its recipients never get it; undefined when none is refused for good. */
  readonly missed?: string;
  /** The recipients that have it, by their `emailKey`, and why the others may take it another time; undefined when there are no others. */
  readonly partly?: { readonly has: readonly string[]; readonly error: string };
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
  /** What the provider asked for; undefined when it named no time. */
  readonly retryAfterMs?: number;
}

/** Why a mail was not taken. `refused`: never try again (invalid or inactive recipient, message not acceptable). */
export type Failure =
  | { readonly result: "refused"; readonly error: string; readonly inactiveRecipient: boolean }
  | Later;

/** Makes the failures of a provider. Their texts begin with its name. */
export const failuresOf = (provider: string) => ({
  refused: (words: string, inactiveRecipient: boolean): Failure => {
    return { result: "refused", error: `${provider}: ${words}`, inactiveRecipient };
  },
  later: (words: string, cause: Later["cause"], retryAfterMs: number | null = null): Later => {
    return { result: "later", error: `${provider}: ${words}`, cause, ...(retryAfterMs !== null && { retryAfterMs }) };
  },
});

export type MailOutcome = Taken | Failure;

/** What a provider says of a mail that it may have: `absent`: it has no such mail; `later`: it gives no answer. */
export type MailFinding = Taken | { readonly result: "absent" } | Later;

export type ProviderAnswer = MailOutcome | MailFinding;

/**
 * What can be done about a mail that may have been sent: the provider is asked for it; it is sent again, which replaces the
 * first; or it is sent once more at most, because the provider cannot be asked and would have it twice.
 */
export type DoubtPolicy = "ask" | "replace" | "once-more";

/** Within this time from the call a mail without files is handed over. A mail whose lease ends sooner is not begun. */
export const handOverMsMax = 10_000;

export interface Mailer extends AsyncDisposable {
  readonly batchMax: number;
  /** Most calls under way at once: for mails that were just stored, and for mails that are due. */
  readonly calls: { readonly fresh: number; readonly due: number };
  /**
   * While the latest call for fresh mails is younger than this, no other begins: what comes meanwhile shares the next. Many
   * mails that come together go out in two calls at once.
   */
  readonly gatherMs: number;
  readonly doubt: DoubtPolicy;
  /**
   * Sends mails and answers in their order, one outcome each. Errors hold no personal data and no secret. A call takes
   * longer than {@link handOverMsMax} only for mails that were handed over by then, or have attachments. Rejects only when
   * a mail cannot be written; then none was handed over.
   * @param giveUp aborts when the mails may soon be another process's: from then on none is handed over
   */
  send(mails: readonly OutgoingMail[], giveUp?: AbortSignal): Promise<MailOutcome[]>;
  /** Asks which of these mails the provider has, and answers in their order. There with `ask` only. */
  find?(mails: readonly Pick<OutgoingMail, "id">[]): Promise<MailFinding[]>;
  /** Whether the provider knows us: null, or why it would not take mails. The mailbox has none. */
  check?(): Promise<string | null>;
}
