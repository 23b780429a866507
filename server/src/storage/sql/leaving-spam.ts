// Submissions that leave spam get what they did not get when they were stored, as `rules/decide.ts` decides.
import { capMs } from "../limits.ts";
import type { MailKind, StoredSubmission } from "../records.ts";
import { decideLeaving } from "../rules/decide.ts";
import { lookUps } from "../rules/facts.ts";
import { quoted } from "../rules/columns.ts";
import { isAutomatic } from "../rules/mails.ts";
import { statusActions } from "../rules/triage.ts";
import { receivedEvent } from "../rules/webhooks.ts";
import { keptBack } from "../webhook-store.ts";
import { type Engine, type Steps, together } from "./engine.ts";
import { prepareStanding } from "./addresses.ts";

/** Its transactions hold the rows of the submissions, and their changes are not in the audit log yet. */
export function prepareLeavingSpam(engine: Engine) {
  const { prepare, insert, lockAddress } = engine;
  const standingOf = prepareStanding(engine);
  const findReceipts = prepare<{ at: number }>(lookUps.receipts.text);
  const findWebhooks = prepare<{ id: number }>(lookUps.webhooks.text);
  const findChange = prepare<object>(`
    SELECT 1 AS changed FROM audit WHERE subject = $1 AND action IN (${quoted(statusActions)}) LIMIT 1`);
  const findMails = prepare<{ kind: MailKind }>("SELECT kind FROM mail WHERE submission = $1");
  const findNotified = prepare<{ webhook: number }>(`
    SELECT webhook FROM webhook_delivery WHERE submission = $1 AND event <> 'submission.changed' AND coalesce(last_answer, '') <> '${keptBack}'`);
  const storeMail = prepare(`
    INSERT INTO mail (kind, submission, status, created_at, due_at) VALUES ($1, $2, 'queued', $3, $3)`);
  const noteReceipt = prepare("UPDATE submission SET receipt_at = $2 WHERE arrival = $1");

  return function* (
    rows: readonly (Pick<StoredSubmission, "arrival" | "kind" | "reference"> & { readonly emailKey: string })[],
    now: number,
  ): Steps<void> {
    // In one order everywhere, so that transactions cannot deadlock.
    const sorted = rows.toSorted((one, other) => (one.emailKey < other.emailKey ? -1 : 1));
    for (const { arrival, kind, reference, emailKey } of sorted) {
      const [standings, receipts, changes, stored, webhooks, notified] = yield* lockAddress(emailKey, [
        standingOf(emailKey),
        findReceipts(emailKey, now - capMs, now + capMs),
        findChange(reference),
        findMails(arrival),
        findWebhooks(receivedEvent(kind)),
        findNotified(arrival),
      ]);
      const { mails, deliveries } = decideLeaving(
        {
          kind,
          arrival,
          wasChanged: changes.length > 0,
          stored: stored.map((mail) => mail.kind),
          notified: notified.map(({ webhook }) => webhook),
        },
        { suppressed: standings.some(({ reason }) => reason !== null), receipts: receipts.map(({ at }) => at) },
        webhooks.map(({ id }) => id),
        now,
      );
      yield* together([
        ...mails.map((mail) => storeMail(mail, arrival, now)),
        ...(mails.some(isAutomatic) ? [noteReceipt(arrival, now)] : []),
        ...(deliveries.length > 0 ? [insert({ webhook_delivery: deliveries })] : []),
      ]);
    }
  };
}
