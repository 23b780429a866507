// Which mails a submission has, and how many of them one address gets. Anyone can name any address as the submitter, so the
// mail that our forms cause to one address is limited. The team's notices are not.
import { ofKinds } from "../../kinds.ts";
import type { MailKind } from "../records.ts";

/** Receipts to one address in {@link capMs}. Counted by `submission.receipt_at`. */
export const receiptsMax = 3;

/**
 * Newsletter mails to one address in {@link capMs}. Counted apart from receipts: the answer to an inquiry says whether its
 * receipt went out, and must not tell who has subscribed.
 */
export const newsletterMailsMax = 3;

/** How often a reply or a notice that was sent is sent again in {@link capMs}. */
export const againMax = 3;

/**
 * The time over which these are counted: a day. A mail that is exactly this old counts no more, and neither does
 * one that was stored by a clock that was so far ahead.
 */
export const capMs = 24 * 60 * 60 * 1000;

/** The mails of each kind of submission, the submitter's first. */
export const mailsOf = ofKinds((kind) => [`${kind}-receipt`, `${kind}-notice`] as const satisfies readonly MailKind[]);

const mails = Object.values(mailsOf);

/** The receipts of all kinds of submissions. */
export const receiptKinds: readonly MailKind[] = mails.map(([receipt]) => receipt);

/** How long the settlement of mails waits for a commit. Short: a mail is in doubt if the process is killed meanwhile. */
export const settlementWaitMs = 25;

/** Whether a mail goes to the address that was named as the submitter's. The others go to the team. */
export const isAutomatic = (kind: MailKind): boolean => kind.endsWith("-receipt") || kind === "newsletter-welcome";

/** Whether a mail goes to a person who is not of the team. */
export const isToPerson = (kind: MailKind): boolean => isAutomatic(kind) || kind.endsWith("-reply");

/** The mails that tell the team of something. No operator misses one that does not arrive, so the service has to say so. */
export const teamMails: readonly MailKind[] = [...mails.map(([, notice]) => notice), "assignment", "digest"];
