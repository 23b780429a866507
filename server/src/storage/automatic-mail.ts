// Which mails the service may send to somebody who was named as a submitter. Anybody can name anybody, so a stranger's
// mailbox must not be filled through our forms. The same on every engine: an engine reads, asks here and writes, all in
// one transaction. The team's notices are not automatic in this sense.
import type { MailKind } from "./records.ts";

/** Automatic mails to one address in {@link automaticMailMs}, over all kinds of submission. */
export const automaticMailsMax = 3;

/** The time over which automatic mails are counted: a day. */
export const automaticMailMs = 24 * 60 * 60 * 1000;

/** Whether a mail goes to whoever was named as the submitter. */
export const isAutomatic = (kind: MailKind): boolean => kind.endsWith("-receipt") || kind === "newsletter-welcome";

/** What is known of an address that an automatic mail would go to. */
export interface Addressee {
  /** Its mailbox refused us for good, or its owner complained or left. */
  readonly suppressed: boolean;
  /** Automatic mails stored for it within the last day. */
  readonly mailedInLastDay: number;
}

/** Whether the address may get one more automatic mail. */
export const automaticMailAllowed = ({ suppressed, mailedInLastDay }: Addressee): boolean =>
  !suppressed && mailedInLastDay < automaticMailsMax;
