// Which mails a submission has, and which go to a person or to the team.
import { ofKinds } from "../../kinds.ts";
import type { MailKind } from "../records.ts";

/** The mails of each kind of submission, the submitter's first. */
export const mailsOf = ofKinds((kind) => [`${kind}-receipt`, `${kind}-notice`] as const satisfies readonly MailKind[]);

const mails = Object.values(mailsOf);

export const receiptKinds: readonly MailKind[] = mails.map(([receipt]) => receipt);

/** How long the settlement of mails waits for a commit. Short: a mail is in doubt if the process is killed meanwhile. */
export const settlementWaitMs = 25;

/** Of a mail that no process has begun to send, and that is not held since a restore; in SQL. */
export const isUntouched = "status = 'queued' AND lease_owner IS NULL AND attempts = 0 AND denials IS NULL";

/** Whether a mail goes to the address that was named as the submitter's. The others go to the team. */
export const isAutomatic = (kind: MailKind): boolean => kind.endsWith("-receipt") || kind === "newsletter-welcome";

/** Whether a mail goes to a person who is not of the team. */
export const isToPerson = (kind: MailKind): boolean => isAutomatic(kind) || kind.endsWith("-reply");

/** The mails to the team. No operator notices when one does not arrive, so the service reports it. */
export const teamMails: readonly MailKind[] = [
  ...mails.map(([, notice]) => notice),
  "assignment",
  "answer",
  "invitation",
  "digest",
];
