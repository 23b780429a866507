// Replies of operators and their mails, each in a transaction with its entry in the audit log.
import type { ReplyOutcome, TriageStatus } from "@submissions/shared/console";
import { type ReplyRequest, type ReplyStore, undoMs } from "../reply-store.ts";
import type { Triage, Triaged } from "../rules/triage.ts";
import type { Changes } from "./changes.ts";
import { writtenAt } from "../rules/waiting.ts";
import { type Engine, only, type Steps } from "./engine.ts";
import { prepareSendingFiles } from "./reply-files.ts";

interface SentReply {
  readonly reference: string;
  readonly author: string;
  readonly at: number;
  /** Null: the submission was not changed with it. */
  readonly statusBefore: TriageStatus | null;
  readonly versionAfter: number | null;
  /** 1: it was assigned to the author with it. */
  readonly assigned: number;
}

/** A reply opens what is new, and assigns what has no assignee to its author. Spam stays as it is. */
function changeBy({ status, assignee }: Triaged, author: string, isDone: boolean): Pick<Triage, "status" | "assignee"> {
  return {
    ...(isDone ? { status: "done" } : status === "new" && { status: "open" }),
    ...(assignee === null && (isDone || status !== "spam") && { assignee: author }),
  };
}

export function makeReplies(engine: Engine, { audit, lockRows, replyMails, triage, standingOf, freeAt }: Changes) {
  const { prepare, transaction } = engine;
  const insert = prepare<{ id: number }>(`
    INSERT INTO reply (submission, author, at, text, quoted, status_before, version_after, assigned)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`);
  const attached = prepareSendingFiles(engine);
  const find = prepare<SentReply>(`
    SELECT reference, author, at, status_before AS "statusBefore", version_after AS "versionAfter", assigned
    FROM reply JOIN submission ON submission.arrival = reply.submission WHERE reply.id = $1`);
  const lastAuthor = prepare<{ by: string }>(`
    SELECT coalesce(operator.name, author) AS by FROM reply LEFT JOIN operator ON operator.email = author
    WHERE submission = $1 ORDER BY reply.id DESC LIMIT 1`);

  return {
    send: transaction(function* (scope, replies, copies, actor) {
      const { operator, at } = actor;
      const retryAt = yield* freeAt(actor, replies.length);
      if (retryAt !== null) return { retryAt };
      const names = replies.map(({ reference }) => reference);
      const rows = yield* lockRows(scope, names);
      const send = function* (request: ReplyRequest): Steps<ReplyOutcome> {
        const { reference, text, quoted = true, doneAt, seen, files = [] } = request;
        const row = rows.get(reference);
        if (row === undefined) return { reference, result: "unknown", reason: null };
        const [{ reason } = { reason: null }] = yield* standingOf(row.emailKey);
        if (reason !== null) return { reference, result: "suppressed", reason };
        const [repliedAt, answeredAt] = [row.lastReplyAt ?? 0, row.lastAnswerAt ?? 0];
        const last = Math.max(repliedAt, answeredAt);
        if (seen !== undefined && last > seen) {
          const [author] = repliedAt > answeredAt ? yield* lastAuthor(row.arrival) : [];
          return { reference, result: "overtaken", by: author?.by ?? null, at: last };
        }
        const wrong = yield* attached.lock(files, row.arrival, operator);
        if (wrong !== null) return { reference, result: wrong, reason: null };
        const target = { reference, version: doneAt ?? row.version };
        const change = changeBy(row, operator, doneAt !== undefined);
        const [changed] = yield* triage(scope, [target], change, actor);
        if (changed?.result !== "changed") return { reference, result: "changed", reason: null };
        const isChange = changed.version > row.version;
        const [before, after] = isChange ? [row.status, changed.version] : [null, null];
        const assigned = change.assignee === undefined ? 0 : 1;
        const written = writtenAt(at, row);
        const quotes = quoted ? 1 : 0;
        const reply = only(yield* insert(row.arrival, operator, written, text, quotes, before, after, assigned));
        // Several may be to the same submission.
        rows.set(reference, { ...row, ...change, version: changed.version, lastReplyAt: written });
        yield* attached.give(files, reply.id, at);
        const dueAt = at + undoMs;
        yield* replyMails.store(row, reply.id, copies, at, dueAt);
        yield* audit({ action: "reply", subject: reference, detail: { reply: reply.id } }, actor);
        return { reference, result: "queued", id: reply.id, dueAt };
      };
      const outcomes: ReplyOutcome[] = [];
      for (const reply of replies) outcomes.push(yield* send(reply));
      return { outcomes };
    }),

    undo: transaction(function* (scope, id, actor) {
      const [reply] = yield* find(id);
      if (reply === undefined || reply.author !== actor.operator) return null;
      const { reference, statusBefore, versionAfter, assigned } = reply;
      const row = (yield* lockRows(scope, [reference])).get(reference);
      if (row === undefined) return null;
      if (actor.at >= reply.at + undoMs || !(yield* replyMails.isWaiting(id, actor.at))) return false;
      yield* replyMails.remove(id);
      yield* audit({ action: "reply.undo", subject: reference, detail: { reply: id } }, actor);
      // Not where another reply has followed: the person was answered.
      if (statusBefore !== null && versionAfter !== null && (row.lastReplyAt ?? 0) <= reply.at) {
        const target = { reference, version: versionAfter };
        const change = { status: statusBefore, ...(assigned === 1 && { assignee: null }) };
        yield* triage(scope, [target], change, actor);
      }
      return true;
    }),
  } satisfies Partial<ReplyStore>;
}
