// Replies and declines with their mails: stored, and taken back while these wait in the outbox. And how many mails an operator
// may still send to people: replies, and what is sent again of replies and notices, count together.
import type { Actor } from "../desk-store.ts";
import { repliesMax, repliesMs } from "../reply-store.ts";
import type { FormerMail, StoredSubmission } from "../records.ts";
import type { prepareAudit } from "./audit.ts";
import { type Engine, only, type Steps, together } from "./engine.ts";
import { heldUntil } from "./held.ts";
import { emailKey } from "@submissions/shared/fields";

type To = Pick<StoredSubmission, "kind" | "arrival">;

export function prepareReplyMails({ prepare, among, locking }: Engine, audit: ReturnType<typeof prepareAudit>) {
  const insertMail = prepare(`
    INSERT INTO mail (kind, submission, reply, status, created_at, due_at) VALUES ($1, $2, $3, 'queued', $4, $5)`);
  // Neither a mail that another transaction changes at this moment, nor one that failed and is due again: it has an answer.
  // What a restored store holds may have been sent, but not before its time.
  const lockWaiting = prepare<object>(`
    SELECT id FROM mail WHERE reply = $1 AND status = 'queued' AND lease_owner IS NULL AND attempts = 0
      AND (denials IS NULL AND last_answer IS NULL
        OR due_at = ${heldUntil} AND (SELECT send_at FROM reply WHERE id = $1) > $2) ${locking("FOR UPDATE SKIP LOCKED")}`);
  const countMails = prepare<{ stored: number }>("SELECT count(*) AS stored FROM mail WHERE reply = $1");
  // A person who is declined need not read what they wrote.
  const insertDecline = prepare<{ id: number }>(`
    INSERT INTO reply (submission, author, at, text, send_at, quoted, released_at) VALUES ($1, $2, $3, $4, $5, 0, $6)
    RETURNING id`);
  const findDeclines = prepare<Omit<FormerMail, "copies"> & { id: number; reference: string; mails: number }>(`
    SELECT reply.id, reference, author, at, text, send_at AS "sendAt", released_at AS "releasedAt",
      (SELECT count(*) FROM mail WHERE mail.reply = reply.id) AS mails
    FROM reply JOIN submission ON submission.arrival = reply.submission
    WHERE ${among("reply.submission", "$1", "bigint")} AND send_at IS NOT NULL
      AND (SELECT mail.status FROM mail WHERE mail.reply = reply.id AND mail.status = 'queued' LIMIT 1) IS NOT NULL`);
  // Its mails, the team's copy too, go with it. Its files are attached again.
  const remove = prepare("DELETE FROM reply WHERE id = $1");

  /** Stores the mail to the person and, with `copies`, that to the team. */
  function* store({ kind, arrival }: To, reply: number, copies: boolean, at: number, dueAt: number): Steps<void> {
    const kinds = [`${kind}-reply`, ...(copies ? [`${kind}-notice`] : [])];
    yield* together(kinds.map((one) => insertMail(one, arrival, reply, at, dueAt)));
  }

  /** Whether all mails of a reply still wait, locked for the transaction. */
  function* isWaiting(reply: number, at: number): Steps<boolean> {
    const [waiting, counted] = yield* together([lockWaiting(reply, at), countMails(reply)]);
    return waiting.length === only(counted).stored;
  }

  /** Stores a decline with its mails, a new one or one that was taken back: it keeps its time. Answers its id. */
  function* decline(to: To, mail: FormerMail, now: number): Steps<number> {
    const { author, at, text, sendAt, releasedAt, copies } = mail;
    const { id } = only(yield* insertDecline(to.arrival, author, at, text, sendAt, releasedAt));
    yield* store(to, id, copies, now, Math.max(sendAt, now));
    return id;
  }

  /**
   * Takes back what waits of the declines of some submissions, whose rows are locked, and answers it. A mail that is being
   * sent goes out.
   * @param one only this one
   */
  function* takeBack(arrivals: readonly number[], actor: Actor, one?: number) {
    const taken: (FormerMail & { readonly reference: string })[] = [];
    for (const { id, mails, ...reply } of arrivals.length === 0 ? [] : yield* findDeclines(arrivals)) {
      if ((one ?? id) !== id || !(yield* isWaiting(id, actor.at))) continue;
      yield* remove(id);
      yield* audit({ action: "mail.cancel", subject: reply.reference, detail: { reply: id } }, actor);
      taken.push({ ...reply, copies: mails > 1 });
    }
    return taken;
  }

  return { remove, store, isWaiting, decline, takeBack };
}

/** In `mail.again_key` of a reply or notice that an operator sent again. It is no address, so no cap of an address counts it. */
export const againBy = (operator: string): string => `operator ${emailKey(operator)}`;

/** Keeps other transactions from sending in the name of the operator. Answers when it may send so many more; null: now. */
export function prepareOperatorLimit({ prepare, lockAddress }: Engine) {
  // From the audit log: a reply that was taken back, or erased with its person, is in no other table.
  const replies = prepare<{ at: number }>(`
    SELECT at FROM audit WHERE action = 'reply' AND operator = $1 AND at > $2 AND at < $3 ORDER BY at DESC LIMIT ${repliesMax}`);
  const again = prepare<{ at: number }>(`
    SELECT again_at AS at FROM mail WHERE again_key = $1 AND again_at > $2 AND again_at < $3
    ORDER BY again_at DESC LIMIT ${repliesMax}`);
  return function* ({ operator, at }: Actor, more: number): Steps<number | null> {
    const [key, since, until] = [againBy(operator), at - repliesMs, at + repliesMs];
    const sent = (yield* lockAddress(key, [replies(operator, since, until), again(key, since, until)])).flat();
    const latest = sent.toSorted((one, other) => other.at - one.at);
    const inTheWay = latest[repliesMax - more];
    return inTheWay === undefined ? null : inTheWay.at + repliesMs;
  };
}
