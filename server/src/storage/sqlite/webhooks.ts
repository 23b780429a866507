// Outgoing webhooks, and the deliveries that wait for them or were made. Changes run inside transactions of the commit queue.
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
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareAudit } from "./desk-changes.ts";
import type { RunJob } from "./jobs.ts";

function prepareStatements(connection: SqliteConnection) {
  const live = "removed_at IS NULL";
  const list = (condition: string) =>
    connection.prepare<[number, number, number], ListedDelivery>(`
      SELECT ${deliveryColumns} FROM webhook_delivery AS delivery
      JOIN webhook ON webhook.id = delivery.webhook LEFT JOIN submission ON submission.arrival = delivery.submission
      WHERE ${live} AND delivery.id < ?1 AND ${condition} ORDER BY delivery.id DESC LIMIT ?2`);
  const dueOf = `delivery.webhook = ?1 AND delivery.status = 'queued' AND delivery.due_at <= ?2
    AND (delivery.lease_until IS NULL OR delivery.lease_until < ?2)`;
  return {
    all: connection.prepare<[], WebhookColumns>(`SELECT ${webhookColumns} FROM webhook WHERE ${live} ORDER BY id`),
    find: connection.prepare<[number], WebhookColumns>(
      `SELECT ${webhookColumns} FROM webhook WHERE id = ? AND ${live}`,
    ),
    insert: connection.prepare<[string, string, string, number], WebhookColumns>(
      `INSERT INTO webhook (url, events, secret, created_at) VALUES (?, ?, ?, ?) RETURNING ${webhookColumns}`,
    ),
    remove: connection.prepare<[number, number]>(`
      UPDATE webhook SET removed_at = ?, url = '', secret = '', old_secret = NULL, old_secret_until = NULL WHERE id = ?`),
    rotate: connection.prepare<[number, string, number], WebhookColumns>(`
      UPDATE webhook SET old_secret = secret, old_secret_until = ?, secret = ? WHERE id = ? AND ${live}
      RETURNING ${webhookColumns}`),
    listAll: list("?3 = 0"),
    listOf: list("delivery.webhook = ?3"),
    isDue: connection.prepare<[number, number], object>(
      `SELECT 1 FROM webhook_delivery AS delivery WHERE ${dueOf} LIMIT 1`,
    ),
    due: connection.prepare<[number, number, number], ClaimedDelivery>(`
      SELECT ${claimedColumns} FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook
      LEFT JOIN submission ON submission.arrival = delivery.submission
      LEFT JOIN subscriber ON subscriber.email_key = delivery.subscriber
      WHERE ${dueOf} ORDER BY delivery.due_at, delivery.id LIMIT ?3`),
    lend: connection.prepare<[string, number, number]>(
      "UPDATE webhook_delivery SET lease_owner = ?, lease_until = ? WHERE id = ?",
    ),
    settle: connection.prepare<[string, number, number | null, number | null, string | null, number, number, string]>(`
      UPDATE webhook_delivery SET status = ?, attempts = attempts + ?, due_at = ?, ended_at = ?,
        last_answer = coalesce(?, last_answer), lease_owner = NULL, lease_until = NULL
      WHERE id = ? AND created_at = ? AND status = 'queued' AND lease_owner = ?`),
    // A lease stays with its holder: the delivery may be on its way at this moment.
    replay: connection.prepare<[number, number, number], { id: number; url: string }>(`
      UPDATE webhook_delivery SET status = 'queued', due_at = ?, ended_at = NULL, attempts = 0
      WHERE id = ? AND created_at = ? AND webhook IN (SELECT id FROM webhook WHERE ${live})
      RETURNING webhook AS id, (SELECT url FROM webhook WHERE webhook.id = webhook_delivery.webhook) AS url`),
    failed: connection.prepare<[number, number], { id: number; createdAt: number }>(`
      SELECT id, created_at AS createdAt FROM webhook_delivery
      WHERE webhook = ? AND status = 'failed' AND last_answer IS NOT '${keptBack}' AND id > ?
      ORDER BY id LIMIT ${replayedAtOnce}`),
  };
}

export function makeWebhooks(connection: SqliteConnection, run: RunJob): WebhookStore {
  const statements = prepareStatements(connection);
  const audit = prepareAudit(connection);

  return {
    add: ({ url, events, secret }, actor) =>
      run(() => {
        if (statements.all.all().length >= webhooksMax) return "too-many";
        const stored = statements.insert.get(url, events.join(" "), secret, actor.at);
        if (stored === undefined) throw new Error("The webhook was not stored.");
        audit(webhookEntry("add", stored, { events }), actor);
        return webhookRow(stored);
      }),

    list: () => retryWhileBusy(() => statements.all.all().map(webhookRow)),

    remove: (id, actor) =>
      run(() => {
        const found = statements.find.get(id);
        if (found === undefined) return false;
        statements.remove.run(actor.at, id);
        audit(webhookEntry("remove", found), actor);
        return true;
      }),

    rotate: (id, secret, actor) =>
      run(() => {
        const rotated = statements.rotate.get(actor.at + secretOverlapMs, secret, id);
        if (rotated === undefined) return null;
        audit(webhookEntry("rotate", rotated), actor);
        return webhookRow(rotated);
      }),

    listDeliveries(webhook, page) {
      const limit = rowsOf(page);
      const statement = webhook === null ? statements.listAll : statements.listOf;
      const after = page.after ?? Number.MAX_SAFE_INTEGER;
      return retryWhileBusy(() => deliveryPage(statement.all(after, limit + 1, webhook ?? 0), limit));
    },

    replay: (id, actor) =>
      run(() => {
        const named = parseDeliveryId(id);
        const webhook = named === null ? undefined : statements.replay.get(actor.at, named.row, named.createdAt);
        if (webhook === undefined) return false;
        audit(webhookEntry("replay", webhook, { delivery: id }), actor);
        return true;
      }),

    async replayFailed(webhook, actor) {
      const isNoted = await run(() => {
        const found = statements.find.get(webhook);
        if (found !== undefined) audit(webhookEntry("replay", found, { deliveries: "failed" }), actor);
        return found !== undefined;
      });
      if (!isNoted) return null;
      let replayed = 0;
      for (let after = 0; ;) {
        const batch = await run(() => {
          const failed = statements.failed.all(webhook, after);
          for (const { id, createdAt } of failed) statements.replay.get(actor.at, id, createdAt);
          return failed;
        });
        replayed += batch.length;
        if (batch.length < replayedAtOnce) return replayed;
        after = batch.at(-1)?.id ?? after;
      }
    },

    async claimDeliveries({ now, limit, except, lease }) {
      const { all, isDue, due, lend } = statements;
      const asked = () => all.all().filter(({ id }) => !except.includes(id));
      // Without a transaction where there is nothing to do: this is asked for every second.
      if (!(await retryWhileBusy(() => asked().some(({ id }) => isDue.get(id, now) !== undefined)))) return [];
      return run(() => {
        const rows = asked().flatMap(({ id }) => due.all(id, now, limit));
        for (const { delivery } of rows) lend.run(lease.owner, lease.until, delivery);
        return rows.map((row) => leasedDelivery(row, now));
      });
    },

    async settleDelivery(id, settlement, owner) {
      const named = parseDeliveryId(id);
      if (named === null) return;
      const { status, tries, dueAt, endedAt, answer } = settledColumns(settlement);
      const values = [status, tries, dueAt, endedAt, answer, named.row, named.createdAt, owner] as const;
      await run(() => void statements.settle.run(...values));
    },
  };
}
