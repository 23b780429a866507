// Outgoing webhooks, and the deliveries that wait for them or were made.
import { setTimeout as pause } from "node:timers/promises";
import { rowsOf } from "../rules/inbox-filter.ts";
import {
  type ClaimedDelivery,
  claimedColumns,
  deliveryColumns,
  deliveryPage,
  leasedDelivery,
  type ListedDelivery,
  parseDeliveryId,
  replayedAtOnce,
  settledColumns,
  type WebhookColumns,
  webhookColumns,
  webhookEntry,
  webhookRow,
} from "../rules/webhooks.ts";
import { keptBack, secretOverlapMs, type WebhookStore, webhooksMax } from "../webhook-store.ts";
import type { Connections } from "./connections.ts";
import { auditWithin } from "./desk-changes.ts";
import { batchPauseMs } from "./outbox.ts";
import { prepared } from "./statement.ts";

const live = "removed_at IS NULL";

const all = prepared<WebhookColumns>(`SELECT ${webhookColumns} FROM webhook WHERE ${live} ORDER BY id`);

const lockOne = prepared<WebhookColumns>(
  `SELECT ${webhookColumns} FROM webhook WHERE id = $1 AND ${live} FOR NO KEY UPDATE`,
);

const insert = prepared<WebhookColumns>(
  `INSERT INTO webhook (url, events, secret, created_at) VALUES ($1, $2, $3, $4) RETURNING ${webhookColumns}`,
);

const remove = prepared(`
  UPDATE webhook SET removed_at = $2, url = '', secret = '', old_secret = NULL, old_secret_until = NULL WHERE id = $1`);

const rotate = prepared<WebhookColumns>(`
  UPDATE webhook SET old_secret = secret, old_secret_until = $2, secret = $3 WHERE id = $1 AND ${live}
  RETURNING ${webhookColumns}`);

const list = (condition: string) =>
  prepared<ListedDelivery>(`
    SELECT ${deliveryColumns} FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook
    LEFT JOIN submission ON submission.arrival = delivery.submission
    WHERE ${live} AND delivery.id < $1 AND ${condition} ORDER BY delivery.id DESC LIMIT $2`);
const listAll = list("true");
const listOf = list("delivery.webhook = $3");

// Deliveries that another process is leasing at this moment are not waited for.
const claimDue = prepared<ClaimedDelivery>(`
  WITH due AS MATERIALIZED (
    SELECT waiting.id FROM webhook, LATERAL (
      SELECT id FROM webhook_delivery AS one
      WHERE one.webhook = webhook.id AND one.status = 'queued' AND one.due_at <= $1
        AND (one.lease_until IS NULL OR one.lease_until < $1)
      ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
    ) AS waiting WHERE ${live} AND webhook.id <> ALL ($3::bigint[])
  ),
  delivery AS (
    UPDATE webhook_delivery SET lease_owner = $4, lease_until = $5 FROM due
    WHERE webhook_delivery.id = due.id RETURNING webhook_delivery.*
  )
  SELECT ${claimedColumns} FROM delivery JOIN webhook ON webhook.id = delivery.webhook
  LEFT JOIN submission ON submission.arrival = delivery.submission
  LEFT JOIN subscriber ON subscriber.email_key = delivery.subscriber ORDER BY delivery.due_at, delivery.id`);

const settle = prepared(`
  UPDATE webhook_delivery SET status = $1, attempts = attempts + $2, due_at = $3, ended_at = $4,
    last_answer = coalesce($5, last_answer), lease_owner = NULL, lease_until = NULL
  WHERE id = $6 AND created_at = $7 AND status = 'queued' AND lease_owner = $8`);

// A lease stays with its holder: the delivery may be on its way at this moment.
const woken = "status = 'queued', due_at = $1, ended_at = NULL, attempts = 0";

const replayOne = prepared<{ id: number; url: string }>(`
  UPDATE webhook_delivery SET ${woken} FROM webhook
  WHERE webhook_delivery.id = $2 AND webhook_delivery.created_at = $3 AND webhook.id = webhook_delivery.webhook
    AND ${live} RETURNING webhook.id, webhook.url`);

const replayBatch = prepared<{ id: number }>(`
  UPDATE webhook_delivery SET ${woken} WHERE id = ANY (ARRAY (
    SELECT id FROM webhook_delivery
    WHERE webhook = $2 AND status = 'failed' AND last_answer IS DISTINCT FROM '${keptBack}' AND id > $3 ORDER BY id
    LIMIT ${replayedAtOnce} FOR UPDATE SKIP LOCKED
  )) RETURNING id`);

export const makeWebhooks = (connections: Connections): WebhookStore => ({
  add: ({ url, events, secret }, actor) =>
    connections.transaction(async (session) => {
      if ((await session.all(all)).length >= webhooksMax) return "too-many";
      const [stored] = await session.all(insert, [url, events.join(" "), secret, actor.at]);
      if (stored === undefined) throw new Error("The webhook was not stored.");
      await auditWithin(session, [webhookEntry("add", stored, { events })], actor);
      return webhookRow(stored);
    }),

  list: async () => (await connections.all(all)).map(webhookRow),

  remove: (id, actor) =>
    connections.transaction(async (session) => {
      const [found] = await session.all(lockOne, [id]);
      if (found === undefined) return false;
      await session.run(remove, [id, actor.at]);
      await auditWithin(session, [webhookEntry("remove", found)], actor);
      return true;
    }),

  rotate: (id, secret, actor) =>
    connections.transaction(async (session) => {
      const [rotated] = await session.all(rotate, [id, actor.at + secretOverlapMs, secret]);
      if (rotated === undefined) return null;
      await auditWithin(session, [webhookEntry("rotate", rotated)], actor);
      return webhookRow(rotated);
    }),

  async listDeliveries(webhook, page) {
    const limit = rowsOf(page);
    const values = [page.after ?? Number.MAX_SAFE_INTEGER, limit + 1];
    const reading = webhook === null ? connections.all(listAll, values) : connections.all(listOf, [...values, webhook]);
    return deliveryPage(await reading, limit);
  },

  async replay(id, actor) {
    const named = parseDeliveryId(id);
    if (named === null) return false;
    return connections.transaction(async (session) => {
      const [webhook] = await session.all(replayOne, [actor.at, named.row, named.createdAt]);
      if (webhook === undefined) return false;
      await auditWithin(session, [webhookEntry("replay", webhook, { delivery: id })], actor);
      return true;
    });
  },

  async replayFailed(webhook, actor) {
    const isNoted = await connections.transaction(async (session) => {
      const [found] = await session.all(lockOne, [webhook]);
      if (found === undefined) return false;
      await auditWithin(session, [webhookEntry("replay", found, { deliveries: "failed" })], actor);
      return true;
    });
    if (!isNoted) return null;
    let replayed = 0;
    for (let after = 0; ; await pause(batchPauseMs)) {
      const batch = await connections.write(replayBatch, [actor.at, webhook, after], { repeatable: true });
      replayed += batch.length;
      if (batch.length < replayedAtOnce) return replayed;
      after = Math.max(...batch.map(({ id }) => id));
    }
  },

  async claimDeliveries({ now, limit, except, lease }) {
    // Repeatable: leases whose answer was lost run out.
    const values = [now, limit, except, lease.owner, lease.until];
    const rows = await connections.write(claimDue, values, { repeatable: true });
    return rows.map((row) => leasedDelivery(row, now));
  },

  async settleDelivery(id, settlement, owner) {
    const named = parseDeliveryId(id);
    if (named === null) return;
    const { status, tries, dueAt, endedAt, answer } = settledColumns(settlement);
    const values = [status, tries, dueAt, endedAt, answer, named.row, named.createdAt, owner];
    // Repeatable: the second time the lease is gone.
    await connections.write(settle, values, { repeatable: true });
  },
});
