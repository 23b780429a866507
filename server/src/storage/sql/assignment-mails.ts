// Mails about what others assign to an operator: one at a time for each operator. What is assigned before it is due is added
// to it, what is taken away leaves it. Who assigned what is in the column `digest`.
import { emailKey } from "@submissions/shared/fields";
import type { Actor } from "../desk-store.ts";
import { readAssigned } from "../rules/mail-row.ts";
import { isUntouched } from "../rules/mails.ts";
import type { Engine, Steps } from "./engine.ts";

/** How long a mail waits for further assignments, so that a change of many submissions is one mail. In milliseconds. */
export const assignmentWaitMs = 5_000;

interface Reassigned {
  readonly reference: string;
  readonly from: string | null;
  readonly to: string | null;
}

export function prepareAssignmentMails({ prepare, locking }: Engine) {
  const lockOperator = prepare<{ id: number; isMailed: number }>(`
    SELECT id, mail_assigned AS "isMailed" FROM operator WHERE email_key = $1 ${locking("FOR UPDATE")}`);
  const findName = prepare<{ name: string }>("SELECT coalesce(name, email) AS name FROM operator WHERE email_key = $1");
  const findWaiting = prepare<{ id: number; assigned: string }>(`
    SELECT id, digest AS assigned FROM mail
    WHERE operator = $1 AND kind = 'assignment' AND ${isUntouched} ORDER BY id DESC LIMIT 1 ${locking("FOR UPDATE")}`);
  const insert = prepare(`
    INSERT INTO mail (kind, operator, digest, status, created_at, due_at) VALUES ('assignment', $1, $2, 'queued', $3, $4)`);
  const change = prepare("UPDATE mail SET digest = $2, due_at = $3, scheduled_at = $4 WHERE id = $1");
  const remove = prepare("DELETE FROM mail WHERE id = $1");

  return function* (changes: readonly Reassigned[], { operator: actor, at }: Actor): Steps<void> {
    const concerned = new Set(changes.flatMap(({ from, to }) => [from, to]).filter((email) => email !== null));
    const [by] = concerned.size === 0 ? [] : yield* findName(emailKey(actor));
    // In one order, so that transactions cannot deadlock.
    for (const email of [...concerned].toSorted()) {
      const [operator] = yield* lockOperator(emailKey(email));
      if (operator === undefined) continue;
      const [waiting] = yield* findWaiting(operator.id);
      const assigned = new Map(Object.entries(readAssigned(waiting?.assigned ?? null)));
      for (const { reference, from, to } of changes) {
        if (from === email) assigned.delete(reference);
        if (to === email && to !== actor && operator.isMailed === 1) assigned.set(reference, by?.name ?? actor);
      }
      const json = JSON.stringify(Object.fromEntries(assigned));
      const dueAt = at + assignmentWaitMs;
      if (waiting === undefined) {
        if (assigned.size > 0) yield* insert(operator.id, json, at, dueAt);
      } else if (assigned.size === 0) yield* remove(waiting.id);
      else yield* change(waiting.id, json, dueAt, at);
    }
  };
}
