// What is written down of a mail after a try, or after the provider was asked about it. Pure: no store, no mailer.
import type { LeasedMail, MailSettlement } from "../storage/records.ts";
import type { MailFinding, MailOutcome } from "./mailer.ts";
import { nextTry } from "./retry-schedule.ts";

/** What became of a mail that was to be sent. `broken` when the mailer could not write it; nothing was handed over. */
export type TryOutcome = MailOutcome | { readonly result: "broken"; readonly error: string };

/** A provider finds a mail in its records only some time after it took it; nobody asks earlier after a lost answer. */
const indexedAfterMs = 30_000;
/** And is asked a second time this much later before the mail is sent again. */
const askAgainAfterMs = 20_000;
/** So often a provider must have said that it knows no such mail. */
const denialsMin = 2;
/** What cannot be written now will hardly be written later; a few tries outlast whatever may have been the matter. */
const brokenTriesMax = 5;

type LaterOutcome = Extract<MailOutcome, { result: "later" }>;

interface Moment {
  readonly now: number;
  /** When the sender, which pauses, is to probe next; null when it works. */
  readonly pausedUntil: number | null;
}

/** Whether the provider has to be asked about the mail before it is sent. */
export const isInDoubt = (mail: LeasedMail): boolean => mail.denials !== null && mail.denials < denialsMin;

export function afterTry(mail: LeasedMail, outcome: TryOutcome, moment: Moment): MailSettlement {
  const { id } = mail;
  const at = moment.now;
  if (outcome.result === "taken") return { id, at, result: "sent", providerId: outcome.providerId };
  if (outcome.result === "refused") {
    const { error, inactiveRecipient } = outcome;
    return { id, at, result: "failed", error, denials: null, inactiveRecipient };
  }
  if (outcome.result === "later") return tryLater(mail, outcome, outcome.cause === "ambiguous" ? 0 : null, moment);
  if (mail.attempts + 1 >= brokenTriesMax) return giveUp(mail, outcome.error, mail.denials, moment);
  return tryLater(mail, { ...outcome, result: "later", cause: "provider" }, mail.denials, moment);
}

/**
 * Null when the mail may be sent now.
 *
 * @param answered whether the provider has answered for any of the mails it was asked about
 */
export function afterQuestion(
  mail: LeasedMail,
  finding: MailFinding,
  answered: boolean,
  moment: Moment,
): MailSettlement | null {
  const { id } = mail;
  const at = moment.now;
  if (finding.result === "taken") return { id, at, result: "sent", providerId: finding.providerId };
  const denials = (mail.denials ?? 0) + (finding.result === "absent" ? 1 : 0);
  if (denials >= denialsMin) return null;
  if (finding.result === "later" && !answered) return tryLater(mail, finding, denials, moment);
  const error = finding.result === "later" ? finding.error : "in doubt: the provider knows no such mail yet";
  return { id, at, result: "later", dueAt: at + askAgainAfterMs, error, denials, tried: false };
}

function tryLater(mail: LeasedMail, outcome: LaterOutcome, denials: number | null, moment: Moment): MailSettlement {
  const { id } = mail;
  const { now, pausedUntil } = moment;
  const { error, cause, retryAfterMs = 0 } = outcome;
  if (cause === "configuration" && pausedUntil !== null) {
    // Nothing was tried of this mail. It is one of the next when the sender works again.
    const dueAt = Math.max(pausedUntil, now + retryAfterMs);
    return { id, at: now, result: "later", dueAt, error, denials, tried: false };
  }
  const due = nextTry({ createdAt: mail.createdAt, attempts: mail.attempts + 1, now, retryAfterMs });
  if (due === undefined) return giveUp(mail, error, denials, moment);
  const dueAt = denials === null ? due : Math.max(due, now + indexedAfterMs);
  return { id, at: now, result: "later", dueAt, error, denials, tried: true };
}

const giveUp = ({ id }: LeasedMail, error: string, denials: number | null, { now }: Moment): MailSettlement => ({
  id,
  at: now,
  result: "failed",
  error: `given up: ${error}`,
  denials,
});
