// Deletes expired rows, one batch in each transaction. Rows that another transaction is changing at this moment are
// left to it.
import { expiredBefore, forgottenAtOnce } from "../rules/retention.ts";
import type { Store } from "../store.ts";
import type { Connections } from "./connections.ts";
import { prepared, type Statement } from "./statement.ts";

/** Deletes rows whose time was at or before an instant. */
export const forgetBatch = (table: string, time: string) =>
  prepared<{ forgotten: number }>(`
    WITH forgotten AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM ${table} WHERE ${time} <= $1 ORDER BY ${time} LIMIT ${forgottenAtOnce} FOR UPDATE SKIP LOCKED
      )) RETURNING 1
    )
    SELECT count(*) AS forgotten FROM forgotten`);

const forgetKeys = forgetBatch("idempotency", "created_at");
const forgetChallenges = forgetBatch("spent_challenge", "expires_at");
const forgetDeliveries = forgetBatch("webhook_delivery", "ended_at");

const forgetOfRemoved = prepared<{ forgotten: number }>(`
  WITH forgotten AS (
    DELETE FROM webhook_delivery WHERE id = ANY (ARRAY (
      SELECT delivery.id FROM webhook JOIN webhook_delivery AS delivery ON delivery.webhook = webhook.id
      WHERE webhook.removed_at IS NOT NULL LIMIT ${forgottenAtOnce} FOR UPDATE OF delivery SKIP LOCKED
    )) RETURNING 1
  )
  SELECT count(*) AS forgotten FROM forgotten`);

// Mails have no index by time. Their rows are in the order of their times, but for seconds.
const forgetMails = prepared<{ forgotten: number; looked: number; last: number | null; lastAt: number | null }>(`
  WITH page AS MATERIALIZED (
    SELECT id, status, created_at FROM mail WHERE id > $2 ORDER BY id LIMIT ${forgottenAtOnce}
  ),
  forgotten AS (
    DELETE FROM mail WHERE id = ANY (ARRAY (
      SELECT mail.id FROM mail WHERE id = ANY (ARRAY (SELECT id FROM page))
        AND mail.status <> 'queued' AND mail.created_at <= $1 FOR UPDATE SKIP LOCKED
    )) RETURNING 1
  )
  SELECT (SELECT count(*) FROM forgotten) AS forgotten, count(*) AS looked, max(id) AS last,
    (SELECT created_at FROM page ORDER BY id DESC LIMIT 1) AS "lastAt"
  FROM page`);

export function makeHousekeeping(connections: Connections) {
  /** Mails up to this row were looked at. */
  let mailsSeen = 0;

  async function forget(batch: Statement<{ forgotten: number }>, values: readonly number[]): Promise<number> {
    const [row] = await connections.write(batch, values, { repeatable: true });
    return row?.forgotten ?? 0;
  }

  // Once a batch ends with a mail that is too young, the search begins again at the oldest.
  async function forgetOldMails(before: number): Promise<{ readonly forgotten: number; readonly more: boolean }> {
    const [row] = await connections.write(forgetMails, [before, mailsSeen], { repeatable: true });
    const { forgotten = 0, looked = 0, last = null, lastAt = null } = row ?? {};
    const more = looked === forgottenAtOnce && lastAt !== null && lastAt <= before;
    mailsSeen = more ? (last ?? 0) : 0;
    return { forgotten, more };
  }

  return {
    async forgetExpired(now) {
      const before = expiredBefore(now);
      const counts = [
        await forget(forgetKeys, [before.keys]),
        await forget(forgetChallenges, [before.challenges]),
        await forget(forgetDeliveries, [before.deliveries]),
        await forget(forgetOfRemoved, []),
      ];
      const ofMails = await forgetOldMails(before.mails);
      return {
        forgotten: counts.reduce((sum, count) => sum + count, ofMails.forgotten),
        more: ofMails.more || counts.includes(forgottenAtOnce),
      };
    },
  } satisfies Partial<Store>;
}
