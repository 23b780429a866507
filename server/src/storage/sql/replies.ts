// Replies of operators and their mails, each in a transaction with its entry in the audit log.
import type { ReplyOutcome, SavedAnswer, TriageStatus } from "@submissions/shared/console";
import { type ReplyStore, savedAnswersMax, undoMs } from "../desk-store.ts";
import type { Changes } from "./changes.ts";
import { type Engine, only, together } from "./engine.ts";
import { prepareStanding } from "./addresses.ts";
import { prepareWaiting } from "./decline-mails.ts";
import { prepareOperatorLimit } from "./operators-mails.ts";

interface SentReply {
  readonly reference: string;
  readonly author: string;
  readonly at: number;
  readonly statusBefore: TriageStatus | null;
  readonly versionAfter: number | null;
}

export function makeReplies(engine: Engine, { audit, lockRows, triage }: Changes): ReplyStore {
  const { prepare, among, read, transaction } = engine;
  const standingOf = prepareStanding(engine);
  const freeAt = prepareOperatorLimit(engine);
  const insert = prepare<{ id: number }>(`
    INSERT INTO reply (submission, author, at, text, status_before, version_after)
    VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`);
  const insertMail = prepare(`
    INSERT INTO mail (kind, submission, reply, status, created_at, due_at) VALUES ($1, $2, $3, 'queued', $4, $5)`);
  const find = prepare<SentReply>(`
    SELECT reference, author, at, status_before AS "statusBefore", version_after AS "versionAfter"
    FROM reply JOIN submission ON submission.arrival = reply.submission WHERE reply.id = $1`);
  const isWaiting = prepareWaiting(engine);
  // Its mails, the team's copy too, go with it.
  const remove = prepare("DELETE FROM reply WHERE id = $1");
  const ofKinds = among("kind", "$1");
  const answers = prepare<SavedAnswer>(`SELECT id, kind, title, text FROM saved_answer WHERE ${ofKinds}`);
  const addAnswer = prepare<{ id: number }>(`
    INSERT INTO saved_answer (kind, title, text) SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT)
    WHERE (SELECT count(*) FROM saved_answer WHERE kind = $1) < ${savedAnswersMax} RETURNING id`);
  const changeAnswer = prepare<{ id: number }>(`
    UPDATE saved_answer SET kind = $2, title = $3, text = $4 WHERE ${ofKinds} AND id = $5 RETURNING id`);
  const removeAnswer = prepare<{ id: number }>(`DELETE FROM saved_answer WHERE ${ofKinds} AND id = $2 RETURNING id`);

  return {
    send: (scope, replies, copies, actor) =>
      transaction(function* () {
        const { operator, at } = actor;
        const retryAt = yield* freeAt(actor, replies.length);
        if (retryAt !== null) return { retryAt };
        const names = replies.map(({ reference }) => reference);
        const rows = yield* lockRows(scope, names);
        const outcomes: ReplyOutcome[] = [];
        for (const { reference, text, doneAt } of replies) {
          const row = rows.get(reference);
          const [standing] = row === undefined ? [] : yield* standingOf(row.emailKey);
          const reason = standing?.reason ?? null;
          if (row === undefined || reason !== null) {
            outcomes.push({ reference, result: row === undefined ? "unknown" : "suppressed", reason });
            continue;
          }
          const target = { reference, version: doneAt ?? row.version };
          const [done] = doneAt === undefined ? [] : yield* triage(scope, [target], { status: "done" }, actor);
          if (done !== undefined && done.result !== "changed") {
            outcomes.push({ reference, result: "changed", reason: null });
            continue;
          }
          const isChange = done !== undefined && row.status !== "done";
          const [before, after] = isChange ? [row.status, done.version] : [null, null];
          const reply = only(yield* insert(row.arrival, operator, at, text, before, after));
          const dueAt = at + undoMs;
          const kinds = [`${row.kind}-reply`, ...(copies ? [`${row.kind}-notice`] : [])];
          yield* together(kinds.map((kind) => insertMail(kind, row.arrival, reply.id, at, dueAt)));
          yield* audit({ action: "reply", subject: reference, detail: { reply: reply.id } }, actor);
          outcomes.push({ reference, result: "queued", id: reply.id, dueAt });
        }
        return { outcomes };
      }),

    undo: (scope, id, actor) =>
      transaction(function* () {
        const [reply] = yield* find(id);
        if (reply === undefined || reply.author !== actor.operator) return null;
        const { reference, statusBefore, versionAfter } = reply;
        if (!(yield* lockRows(scope, [reference])).has(reference)) return null;
        if (actor.at >= reply.at + undoMs || !(yield* isWaiting(id))) return false;
        yield* remove(id);
        yield* audit({ action: "reply.undo", subject: reference, detail: { reply: id } }, actor);
        if (statusBefore !== null && versionAfter !== null) {
          yield* triage(scope, [{ reference, version: versionAfter }], { status: statusBefore }, actor);
        }
        return true;
      }),

    async listAnswers({ kinds }) {
      const found = await read(answers(kinds));
      // Sorted here: they are few, and no index has this order.
      return found.toSorted((one, other) => one.title.localeCompare(other.title) || one.id - other.id);
    },

    changeAnswer: ({ kinds }, answer, actor) =>
      transaction(function* () {
        if ("removed" in answer) {
          if ((yield* removeAnswer(kinds, answer.removed)).length === 0) return false;
          yield* audit({ action: "answer.remove", subject: "", detail: { answer: answer.removed } }, actor);
          return true;
        }
        const { id, kind, title, text } = answer;
        if (!kinds.includes(kind)) return false;
        const [saved] = yield* id === null ? addAnswer(kind, title, text) : changeAnswer(kinds, kind, title, text, id);
        if (saved === undefined) return false;
        yield* audit({ action: "answer.save", subject: title, detail: { answer: saved.id } }, actor);
        return true;
      }),
  };
}
