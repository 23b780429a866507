// Declines of submissions: the stage, and the mail that waits in the outbox until it is due.
import type { DeclineOutcome } from "@submissions/shared/console";
import { dayMs } from "../../clock.ts";
import type { ChangeOutcome } from "../desk-store.ts";
import { type Decline, type DeclineStore, undoMs } from "../reply-store.ts";
import type { Changes } from "./changes.ts";
import { type Engine, only, type Steps } from "./engine.ts";
import { writtenAt } from "../rules/waiting.ts";
import { answeredUntil } from "./held.ts";

/** Decisions whose reasons are suggested: the latest. */
const reasonsOf = 1_000;

export function makeDeclines(
  { prepare, among, indexedBy, read, transaction }: Engine,
  { audit, lockRows, replyMails, triage, standingOf, freeAt }: Changes,
): DeclineStore {
  const find = prepare<{ arrival: number; reference: string }>(`
    SELECT arrival, reference FROM reply JOIN submission ON submission.arrival = reply.submission
    WHERE reply.id = $1 AND send_at IS NOT NULL`);
  const setReleased = prepare("UPDATE reply SET released_at = $2 WHERE id = $1");
  // One whose time has not come yet goes out at its time.
  const makeDue = prepare(`
    UPDATE mail SET due_at = $2, scheduled_at = $2 WHERE reply = $1 AND due_at = ${answeredUntil}`);
  const reasons = prepare<{ reason: string }>(`
    SELECT decline_reason AS reason FROM (
      SELECT decline_reason, kind FROM submission ${indexedBy("submission_decided")}
      WHERE decided_at IS NOT NULL ORDER BY decided_at DESC LIMIT ${reasonsOf}) AS latest
    WHERE decline_reason IS NOT NULL AND ${among("kind", "$1")}`);

  return {
    decline: transaction(function* (scope, targets, { reason, days, copies }, actor) {
      const { operator, at } = actor;
      const retryAt = yield* freeAt(actor, targets.filter(({ text }) => text !== null).length);
      if (retryAt !== null) return { retryAt };
      const names = targets.map(({ reference }) => reference);
      const rows = yield* lockRows(scope, names);
      const decline = function* ({ text, ...target }: Decline): Steps<ChangeOutcome<DeclineOutcome>> {
        const row = rows.get(target.reference);
        if (row === undefined) return { reference: target.reference, result: "unknown" };
        const request = { stage: "declined", declineReason: reason } as const;
        const outcome = only(yield* triage(scope, [target], request, actor));
        if (outcome.result !== "changed") return outcome;
        const [standing] = yield* standingOf(row.emailKey);
        const isMailed = row.status !== "spam" && (standing?.reason ?? null) === null;
        if (text === null || !isMailed) return { ...outcome, dueAt: null };
        const dueAt = at + (days === 0 ? undoMs : days * dayMs);
        const mail = { author: operator, at: writtenAt(at, row), text, sendAt: dueAt, releasedAt: null, copies };
        const reply = yield* replyMails.decline(row, mail, at);
        yield* audit({ action: "reply", subject: target.reference, detail: { reply } }, actor);
        return { ...outcome, dueAt };
      };
      const outcomes: ChangeOutcome<DeclineOutcome>[] = [];
      for (const target of targets) outcomes.push(yield* decline(target));
      return { outcomes };
    }),

    cancel: transaction(function* (scope, id, actor) {
      const [reply] = yield* find(id);
      if (reply === undefined) return null;
      const { arrival, reference } = reply;
      if (!(yield* lockRows(scope, [reference])).has(reference)) return null;
      return (yield* replyMails.takeBack([arrival], actor, id)).length > 0;
    }),

    release: transaction(function* (scope, id, actor) {
      const [reply] = yield* find(id);
      const row = reply && (yield* lockRows(scope, [reply.reference])).get(reply.reference);
      if (row === undefined) return false;
      yield* setReleased(id, writtenAt(actor.at, row));
      yield* makeDue(id, actor.at);
      yield* audit({ action: "mail.release", subject: row.reference, detail: { reply: id } }, actor);
      return true;
    }),

    async listReasons({ kinds }) {
      const found = (await read(reasons(kinds))).map(({ reason }) => reason);
      const counted = [...Map.groupBy(found, (reason) => reason)];
      return counted.toSorted(([, one], [, other]) => other.length - one.length).map(([reason]) => reason);
    },
  };
}
