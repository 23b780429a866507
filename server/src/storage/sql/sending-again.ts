// Sending a mail again. None to a stranger goes to a suppressed address. A receipt counts against the cap of its address, and
// once where it never left. A reply or notice that was sent counts against the operator's limit, and has one of its own.
import type { DeskStore } from "../desk-store.ts";
import { againMax, capMs, newsletterMailsMax, receiptsMax } from "../limits.ts";
import type { StoredMail } from "../records.ts";
import { lookUps } from "../rules/facts.ts";
import { mailKindsOf } from "../rules/inbox-filter.ts";
import { parseMailId } from "../rules/outbox-row.ts";
import { isAutomatic, isToPerson } from "../rules/mails.ts";
import type { Changes } from "./changes.ts";
import type { Engine } from "./engine.ts";
import { againBy } from "./reply-mails.ts";

interface Mail extends Pick<StoredMail, "kind" | "status" | "reply" | "reference"> {
  readonly submission: number | null;
  /** Of a decline: when it is to go out. */
  readonly sendAt: number | null;
  /** Of the address that the mail is about; empty: it is about none. */
  readonly key: string;
  /** When it was last counted. */
  readonly countedAt: number;
}

export function makeSendingAgain(
  { prepare, locking, lockAddress, transaction }: Engine,
  { audit, standingOf, freeAt }: Changes,
) {
  const text = `
    SELECT mail.kind, mail.status, mail.submission, mail.reply, reply.send_at AS "sendAt", submission.reference,
      coalesce(submission.email_key, mail.subscriber, '') AS key,
      coalesce(again_at, receipt_at, mail.created_at) AS "countedAt"
    FROM mail LEFT JOIN submission ON submission.arrival = mail.submission LEFT JOIN reply ON reply.id = mail.reply
    WHERE mail.id = $1 AND mail.created_at = $2`;
  const find = prepare<Mail>(text);
  const lock = prepare<Mail>(`${text} ${locking("FOR UPDATE OF mail SKIP LOCKED")}`);
  const receipts = prepare<{ at: number }>(lookUps.receipts.text);
  const newsletters = prepare<{ at: number }>(lookUps.newsletters.text);
  // The mails of a reply have its number: one that was sent again is no other mail.
  const again = prepare<{ at: number }>(`
    SELECT again_at AS at FROM mail
    WHERE submission = $1 AND kind = $2 AND coalesce(reply, 0) = $3 AND again_at > $4 AND again_at < $5`);
  const count = prepare("UPDATE mail SET again_key = $2, again_at = $3 WHERE id = $1");
  // A lease stays with its holder: the mail may be on its way at this moment.
  const wake = prepare(`
    UPDATE mail SET status = 'queued', due_at = $2, scheduled_at = $2, ended_at = NULL,
      attempts = CASE status WHEN 'queued' THEN attempts ELSE 0 END
    WHERE id = $1`);
  // The submission is locked, so that no other transaction erases it without this mail.
  const storeAnew = prepare(`
    INSERT INTO mail (kind, submission, reply, status, created_at, due_at, again_key, again_at)
    SELECT CAST($1 AS TEXT), arrival, CAST($5 AS BIGINT), 'queued', CAST($3 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT),
      CASE WHEN CAST($4 AS TEXT) IS NULL THEN NULL ELSE CAST($3 AS BIGINT) END
    FROM submission WHERE arrival = $2 ${locking("FOR KEY SHARE")}`);

  return {
    sendAgain: transaction(function* (scope, id, statuses, actor, early = false) {
      const { at } = actor;
      const named = parseMailId(id);
      const [found] = named === null ? [] : yield* find(named.row, named.createdAt);
      if (named === null || found === undefined || !mailKindsOf(scope).includes(found.kind)) return null;
      const { kind, key } = found;
      const isOurs = !isAutomatic(kind);
      // Locked before the address, in every transaction that does both.
      const retryAt = isOurs ? yield* freeAt(actor, 1) : null;
      const [since, until] = [at - capMs, at + capMs];
      const [earlier, most] = isOurs
        ? [again(found.submission, kind, found.reply ?? 0, since, until), againMax]
        : kind === "newsletter-welcome"
          ? [newsletters(key, since, until), newsletterMailsMax]
          : [receipts(key, since, until), receiptsMax];
      // The address is locked before the mail, as erasing does.
      const [[standing], sent, [mail]] = yield* lockAddress(key, [
        standingOf(key),
        earlier,
        lock(named.row, named.createdAt),
      ]);
      if (mail === undefined) return (yield* find(named.row, named.createdAt)).length === 0 ? null : "left";
      if (!statuses.includes(mail.status)) return "left";
      const { status, submission, reply, reference, countedAt } = mail;
      const dueAt = early ? at : Math.max(at, mail.sendAt ?? 0);
      if (status === "queued" && dueAt > at) return "waits";
      // The next answer is told of anew.
      if (status === "sent" && (submission === null || kind === "answer")) return "not-sendable";
      const isJudged = status !== "queued" && isToPerson(kind);
      if (isJudged && standing !== undefined && standing.reason !== null) return "suppressed";
      const isCounted = isOurs ? status === "sent" : isJudged && !(status === "failed" && countedAt > since);
      if (isCounted && sent.length >= most) return "capped";
      if (isCounted && retryAt !== null) return { retryAt };
      const countedBy = isOurs ? againBy(actor.operator) : key;
      if (status === "sent") yield* storeAnew(kind, submission, at, isCounted ? countedBy : null, reply);
      else {
        yield* wake(named.row, dueAt);
        if (isCounted) yield* count(named.row, countedBy, at);
      }
      const subject = reference ?? (kind === "newsletter-welcome" ? "newsletter" : "");
      yield* audit({ action: "mail.again", subject, detail: { mail: kind, was: status } }, actor);
      return "due";
    }),
  } satisfies Partial<DeskStore>;
}
