// What is recorded of a mail after a try, or after the provider was asked about it, and when it is tried again.
import type { LeasedMail, MailSettlement } from "../storage/records.ts";
import type { DoubtPolicy, Later, MailFinding, MailOutcome } from "./mailer.ts";

/** `broken`: it could not be written; `unready`: its files could not be read. Neither was handed over. */
export type TryOutcome = MailOutcome | { readonly result: "broken" | "unready"; readonly error: string };

/** A provider finds a mail in its records only some time after it took it. It is not asked earlier. */
const indexedAfterMs = 30_000;
/** It is asked a second time this much later before the mail is sent again. */
const askAgainAfterMs = 20_000;
/** So often a provider must have said that it knows no such mail. */
const denialsMin = 2;
/** A mail that cannot be written now will hardly be written later; a few tries outlast a passing cause. */
const brokenTriesMax = 5;
/** A mail that cannot be asked about is sent once more only after its server had time to recover. */
const onceMoreAfterMs = 30 * 60_000;

/** The delay before the second try. It doubles with each try. */
const firstDelayMs = 10_000;
const delayMsMax = 60 * 60 * 1000;
/** How long a mail is tried before it is given up. */
export const retryMsMax = 72 * 60 * 60 * 1000;
/** Tries that a mail gets however old it is, over an hour or so: the service may have been off for three days. */
const triesMin = 10;

interface Moment {
  readonly now: number;
  /** When a sender that pauses is to probe next; null when it works. */
  readonly pausedUntil: number | null;
  readonly doubt: DoubtPolicy;
}

/** Whether the provider has to be asked about the mail before it is sent. */
export const mustBeAskedAbout = (mail: LeasedMail): boolean => mail.denials !== null && mail.denials < denialsMin;

export function afterTry(mail: LeasedMail, outcome: TryOutcome, moment: Moment): MailSettlement {
  const { id } = mail;
  const { now: at, doubt } = moment;
  // Whether an earlier try may have been taken. Before this one a provider that can be asked has denied it.
  const denials = doubt === "once-more" ? mail.denials : null;
  if (outcome.result === "taken") {
    const { providerId, partly } = outcome;
    if (partly === undefined) return { id, at, result: "sent", providerId };
    const left = tryLater(mail, { result: "later", error: partly.error, cause: "recipient" }, denials, moment);
    return { ...left, has: [...(mail.has ?? []), ...partly.has] };
  }
  const { error } = outcome;
  if (outcome.result === "refused") {
    return { id, at, result: "failed", error, denials, inactiveRecipient: outcome.inactiveRecipient };
  }
  if (outcome.result !== "later") {
    if (outcome.result === "broken" && mail.attempts + 1 >= brokenTriesMax)
      return giveUp(mail, error, mail.denials, moment);
    return tryLater(mail, { result: "later", error, cause: "provider" }, mail.denials, moment);
  }
  if (outcome.cause !== "ambiguous" || doubt === "replace") return tryLater(mail, outcome, denials, moment);
  if (doubt === "ask") return tryLater(mail, outcome, 0, moment);
  if (mail.denials !== null) return { id, at, result: "in-doubt", error, denials: mail.denials };
  return { id, at, result: "later", dueAt: at + onceMoreAfterMs, error, denials: 0, tried: true };
}

/** Null: the mail may be sent now. @param answered whether the provider has answered for any mail it was asked about */
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

function tryLater(mail: LeasedMail, outcome: Later, denials: number | null, moment: Moment): MailSettlement {
  const { id } = mail;
  const { now, pausedUntil, doubt } = moment;
  const { error, cause, retryAfterMs = 0 } = outcome;
  if (cause === "configuration" && pausedUntil !== null) {
    // Nothing was tried of this mail. It is one of the next when the sender works again.
    const dueAt = Math.max(pausedUntil, now + retryAfterMs);
    return { id, at: now, result: "later", dueAt, error, denials, tried: false };
  }
  const due = nextTry(mail, now, retryAfterMs);
  if (due === undefined) return giveUp(mail, error, denials, moment);
  const dueAt = denials === null || doubt !== "ask" ? due : Math.max(due, now + indexedAfterMs);
  return { id, at: now, result: "later", dueAt, error, denials, tried: true };
}

function giveUp({ id }: LeasedMail, reason: string, denials: number | null, { now, doubt }: Moment): MailSettlement {
  const error = `given up: ${reason}`;
  if (denials !== null && doubt === "once-more") return { id, at: now, result: "in-doubt", error, denials };
  return { id, at: now, result: "failed", error, denials };
}

/**
 * When the next try is due, or undefined when the mail is given up: exponential with jitter, for 72 hours, never earlier
 * than the provider asked for. The last try is made at the very end of the 72 hours.
 * @param random 0 to 1; spreads mails that failed together
 */
export function nextTry(
  { createdAt, attempts }: Pick<LeasedMail, "createdAt" | "attempts">,
  now: number,
  retryAfterMs: number,
  random: () => number = Math.random,
): number | undefined {
  const end = createdAt + retryMsMax;
  const isOld = now >= end;
  if (isOld && attempts + 1 >= triesMin) return undefined;
  const full = Math.min(firstDelayMs * 2 ** Math.min(attempts, 20), delayMsMax);
  const delay = Math.max(full / 2 + (random() * full) / 2, retryAfterMs);
  const dueAt = now + Math.round(delay);
  return isOld ? dueAt : Math.min(dueAt, end);
}
