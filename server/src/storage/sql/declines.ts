// Declines of submissions: the stage, and the mail that waits in the outbox until it is due.
import { dayMs } from "../rules/days.ts";
import type { DeclineOutcome } from "@submissions/shared/console";
import { type ChangeOutcome, type DeclineStore, undoMs } from "../desk-store.ts";
import { prepareStanding } from "./addresses.ts";
import type { Changes } from "./changes.ts";
import { prepareReplyMails } from "./reply-mails.ts";
import { type Engine, only } from "./engine.ts";
import { answeredUntil } from "./held.ts";
import { prepareOperatorLimit } from "./operators-mails.ts";

/** Decisions whose reasons are suggested: the latest. */
const reasonsOf = 1_000;

export function makeDeclines(engine: Engine, { audit, lockRows, takeBackDeclines, triage }: Changes): DeclineStore {
  const { prepare, among, indexedBy, read, transaction } = engine;
  const standingOf = prepareStanding(engine);
  const freeAt = prepareOperatorLimit(engine);
  // A person who is declined need not read what they wrote.
  const insert = prepare<{ id: number }>(`
    INSERT INTO reply (submission, author, at, text, send_at, quoted) VALUES ($1, $2, $3, $4, $5, 0) RETURNING id`);
  const storeMails = prepareReplyMails(engine);
  const find = prepare<{ arrival: number; reference: string }>(`
    SELECT arrival, reference FROM reply JOIN submission ON submission.arrival = reply.submission
    WHERE reply.id = $1 AND send_at IS NOT NULL`);
  const setReleased = prepare("UPDATE reply SET released_at = $2 WHERE id = $1");
  // One whose time has not come yet goes out at its time.
  const makeDue = prepare(
    `UPDATE mail SET due_at = $2, scheduled_at = $2 WHERE reply = $1 AND due_at = ${answeredUntil}`,
  );
  const reasons = prepare<{ reason: string }>(`
    SELECT decline_reason AS reason FROM (
      SELECT decline_reason, kind FROM submission ${indexedBy("submission_decided")}
      WHERE decided_at IS NOT NULL ORDER BY decided_at DESC LIMIT ${reasonsOf}) AS latest
    WHERE decline_reason IS NOT NULL AND ${among("kind", "$1")}`);

  return {
    decline: (scope, targets, { reason, days, copies }, actor) =>
      transaction(function* () {
        const { operator, at } = actor;
        const retryAt = yield* freeAt(actor, targets.filter(({ text }) => text !== null).length);
        if (retryAt !== null) return { retryAt };
        const rows = yield* lockRows(
          scope,
          targets.map(({ reference }) => reference),
        );
        const outcomes: ChangeOutcome<DeclineOutcome>[] = [];
        for (const { text, ...target } of targets) {
          const request = { stage: "declined", declineReason: reason } as const;
          const [outcome] = yield* triage(scope, [target], request, actor);
          const row = rows.get(target.reference);
          if (outcome?.result !== "changed" || row === undefined) {
            outcomes.push(outcome?.result === "changed" ? { ...target, result: "unknown" } : outcome!);
            continue;
          }
          const [standing] = yield* standingOf(row.emailKey);
          if (text === null || row.status === "spam" || (standing?.reason ?? null) !== null) {
            outcomes.push({ ...outcome, dueAt: null });
            continue;
          }
          const dueAt = at + (days === 0 ? undoMs : days * dayMs);
          const reply = only(yield* insert(row.arrival, operator, at, text, dueAt));
          yield* storeMails(row, reply.id, copies, at, dueAt);
          yield* audit({ action: "reply", subject: target.reference, detail: { reply: reply.id } }, actor);
          outcomes.push({ ...outcome, dueAt });
        }
        return { outcomes };
      }),

    cancel: (scope, id, actor) =>
      transaction(function* () {
        const [reply] = yield* find(id);
        if (reply === undefined) return null;
        const { arrival, reference } = reply;
        if (!(yield* lockRows(scope, [reference])).has(reference)) return null;
        return (yield* takeBackDeclines([arrival], actor, id)).length > 0;
      }),

    release: (scope, id, actor) =>
      transaction(function* () {
        const [reply] = yield* find(id);
        if (reply === undefined || !(yield* lockRows(scope, [reply.reference])).has(reply.reference)) return false;
        yield* setReleased(id, actor.at);
        yield* makeDue(id, actor.at);
        yield* audit({ action: "mail.release", subject: reply.reference, detail: { reply: id } }, actor);
        return true;
      }),

    async listReasons({ kinds }) {
      const found = (await read(reasons(kinds))).map(({ reason }) => reason);
      const counted = [...Map.groupBy(found, (reason) => reason)];
      return counted.toSorted(([, one], [, other]) => other.length - one.length).map(([reason]) => reason);
    },
  };
}
