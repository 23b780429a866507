// Mails and deliveries that a restored store holds back: what was queued in the backup may have gone out since. They stay
// queued, and are due at a time that never comes, until an operator releases them.
import { parseMailId } from "../rules/outbox-row.ts";
import { parseDeliveryId } from "../rules/webhooks.ts";
import type { Store } from "../store.ts";
import { prepareAudit } from "./audit.ts";
import type { Engine } from "./engine.ts";

export const heldUntil = Date.UTC(9999, 11, 31);
/** Of a decline whose person has answered. Another time, so that `mail release` leaves it. */
export const answeredUntil = heldUntil + 1;
const reason = "held since the restore: mail release";

/** Hold back all that is queued. A mail may have been sent: where the provider can be asked, it is asked first. */
export const holding = [
  `UPDATE mail SET due_at = ${heldUntil}, last_answer = '${reason}', denials = coalesce(denials, 0)
  WHERE status = 'queued' RETURNING id`,
  `UPDATE webhook_delivery SET due_at = ${heldUntil}, last_answer = '${reason}' WHERE status = 'queued' RETURNING id`,
] as const;

export function makeHeld(engine: Engine) {
  const { prepare, transaction } = engine;
  const audit = prepareAudit(engine);
  // A decline goes out at its time. Before that it cannot have been sent, so it can be taken back as before.
  const sendAt = "(SELECT send_at FROM reply WHERE reply.id = mail.reply AND send_at > $1)";
  const atOnce = "due_at = $1, scheduled_at = $1";
  const atItsTime = `due_at = coalesce(${sendAt}, $1),
    scheduled_at = CASE WHEN ${sendAt} IS NULL THEN $1 ELSE scheduled_at END,
    denials = CASE WHEN ${sendAt} IS NULL THEN denials END`;
  // Of all rows, or of one.
  const release = (table: "mail" | "webhook_delivery") =>
    prepare<object>(`
      UPDATE ${table} SET ${table === "mail" ? atItsTime : atOnce}, last_answer = NULL
      WHERE status = 'queued' AND due_at = ${heldUntil} AND (CAST($2 AS BIGINT) = 0 OR id = $2 AND created_at = $3)
      RETURNING id`);
  const [releaseMails, releaseDeliveries] = [release("mail"), release("webhook_delivery")];

  return {
    releaseHeld: transaction(function* (id, actor) {
      const all = { row: 0, createdAt: 0 };
      const [mail, delivery] = id === null ? [all, all] : [parseMailId(id), parseDeliveryId(id)];
      let released = 0;
      if (mail !== null) released += (yield* releaseMails(actor.at, mail.row, mail.createdAt)).length;
      if (delivery !== null) released += (yield* releaseDeliveries(actor.at, delivery.row, delivery.createdAt)).length;
      if (released === 0) return 0;
      yield* audit({ action: "mail.release", subject: id ?? "", detail: { released } }, actor);
      return released;
    }),
  } satisfies Partial<Store>;
}
