// Whether a mail may be sent again. Of mails to strangers none goes to a suppressed address, and what is sent again counts
// against the cap of the address; a mail that never left counts once.
import type { MailKind, MailStatus } from "../records.ts";
import { lookUps } from "../rules/facts.ts";
import type { MailRow } from "../rules/outbox-row.ts";
import { capMs, isAutomatic, isToPerson, newsletterMailsMax, receiptsMax } from "../rules/mails.ts";
import type { Engine, Steps } from "./engine.ts";
import { prepareStanding } from "./addresses.ts";

export type Refusal = "suppressed" | "capped";

interface Sending {
  readonly kind: MailKind;
  readonly status: MailStatus;
  readonly key: string | null;
  /** When it was last counted. */
  readonly countedAt: number;
}

export function prepareSendingAgain(engine: Engine) {
  const { prepare, amongUnlocked, lockAddress } = engine;
  const standingOf = prepareStanding(engine);
  const find = prepare<Sending>(`
    SELECT mail.kind, mail.status, coalesce(submission.email_key, mail.subscriber) AS key,
      coalesce(again_at, receipt_at, mail.created_at) AS "countedAt"
    FROM mail LEFT JOIN submission ON submission.arrival = mail.submission
    WHERE mail.id = $1 AND mail.created_at = $2`);
  const receipts = prepare<{ at: number }>(lookUps.receipts.text);
  const newsletters = prepare<{ at: number }>(lookUps.newsletters.text);
  const count = prepare("UPDATE mail SET again_key = $2, again_at = $3 WHERE id = $1");
  // A lease stays with its holder: the mail may be on its way at this moment.
  const wake = prepare<object>(`
    UPDATE mail SET status = 'queued', due_at = $1, scheduled_at = $1, ended_at = NULL,
      attempts = CASE status WHEN 'queued' THEN attempts ELSE 0 END
    WHERE ${amongUnlocked("id", "SELECT id FROM mail WHERE id = $2 AND created_at = $3 AND status <> 'sent'")}
    RETURNING id`);

  return {
    /** Makes a mail due that was not sent, and notes it for the cap. False when there is none, or another transaction has it. */
    *wake({ row, createdAt }: MailRow, key: string | null, at: number): Steps<boolean> {
      const [woken] = yield* wake(at, row, createdAt);
      if (woken !== undefined && key !== null) yield* count(row, key, at);
      return woken !== undefined;
    },

    /** Locks the address. Answers what is to be noted of the mail that is sent again, if anything, or why it must not be. */
    *judge({ row, createdAt }: MailRow, at: number): Steps<{ readonly key: string | null } | Refusal> {
      const [mail] = yield* find(row, createdAt);
      if (mail === undefined || mail.key === null || mail.status === "queued" || !isToPerson(mail.kind)) {
        return { key: null };
      }
      const { kind, key, status } = mail;
      const isNewsletter = kind === "newsletter-welcome";
      const counted = (isNewsletter ? newsletters : receipts)(key, at - capMs, at + capMs);
      const [[standing], sent] = yield* lockAddress(key, [standingOf(key), counted]);
      if (standing !== undefined && standing.reason !== null) return "suppressed";
      if (!isAutomatic(kind)) return { key: null };
      if (status === "failed" && mail.countedAt > at - capMs) return { key: null };
      return sent.length >= (isNewsletter ? newsletterMailsMax : receiptsMax) ? "capped" : { key };
    },
  };
}
