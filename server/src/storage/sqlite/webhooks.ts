// Outgoing webhooks, and the deliveries that wait for them or were made. Changes run inside transactions of the commit queue.
import type { DeliveryRow, Page, PageRequest, WebhookRow } from "@submissions/shared/console";
import type { Actor } from "../desk-store.ts";
import { inSteps } from "../pages.ts";
import { rowsOf } from "../rules/inbox-filter.ts";
import {
  type ClaimedDelivery,
  claimedColumns,
  deliveryColumns,
  deliveryPage,
  eventsOf,
  leasedDelivery,
  type ListedDelivery,
  overlapEnd,
  parseDeliveryId,
  replayedAtOnce,
  settledColumns,
  type WebhookColumns,
  webhookColumns,
  webhookEntry,
  webhookRow,
} from "../rules/webhooks.ts";
import {
  type DeliveryClaim,
  type DeliverySettlement,
  type LeasedDelivery,
  type NewWebhook,
  type WebhookStore,
  webhooksMax,
} from "../webhook-store.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareAudit } from "./desk-changes.ts";
import type { RunJob } from "./desk.ts";

export class SqliteWebhooks implements WebhookStore {
  readonly #run: RunJob;
  readonly #registry: ReturnType<typeof prepareRegistry>;
  readonly #deliveries: ReturnType<typeof prepareDeliveries>;

  constructor(connection: SqliteConnection, run: RunJob) {
    this.#run = run;
    this.#registry = prepareRegistry(connection);
    this.#deliveries = prepareDeliveries(connection);
  }

  add(webhook: NewWebhook, actor: Actor) {
    return this.#run(() => this.#registry.add(webhook, actor));
  }

  list() {
    return retryWhileBusy(() => this.#registry.list());
  }

  remove(id: number, actor: Actor) {
    return this.#run(() => this.#registry.remove(id, actor));
  }

  rotate(id: number, secret: string, actor: Actor) {
    return this.#run(() => this.#registry.rotate(id, secret, actor));
  }

  listDeliveries(webhook: number | null, page: PageRequest) {
    return retryWhileBusy(() => this.#deliveries.list(webhook, page));
  }

  replay(id: string, actor: Actor) {
    return this.#run(() => {
      const replayed = this.#deliveries.replay(id, actor.at);
      if (replayed !== null) this.#registry.note("replay", replayed, actor, { delivery: id });
      return replayed !== null;
    });
  }

  async replayFailed(webhook: number, actor: Actor): Promise<number | null> {
    if (!(await this.#run(() => this.#registry.note("replay", webhook, actor, { deliveries: "failed" })))) return null;
    let all = 0;
    await inSteps(0, async (after) => {
      const { replayed, last } = await this.#run(() => this.#deliveries.replayFailed(webhook, actor.at, after));
      all += replayed;
      return last;
    });
    return all;
  }

  async claimDeliveries(claim: DeliveryClaim): Promise<readonly LeasedDelivery[]> {
    // Without a transaction where there is nothing to do: this is asked for every second.
    if (!(await retryWhileBusy(() => this.#deliveries.isDue(claim)))) return [];
    return this.#run(() => this.#deliveries.claim(claim));
  }

  settleDelivery(id: string, settlement: DeliverySettlement, owner: string): Promise<void> {
    return this.#run(() => this.#deliveries.settle(id, settlement, owner));
  }
}

function prepareRegistry(connection: SqliteConnection) {
  const audit = prepareAudit(connection);
  const live = "removed_at IS NULL";
  const all = connection.prepare<[], WebhookColumns>(`SELECT ${webhookColumns} FROM webhook WHERE ${live} ORDER BY id`);
  const find = connection.prepare<[number], WebhookColumns>(
    `SELECT ${webhookColumns} FROM webhook WHERE id = ? AND ${live}`,
  );
  const insert = connection.prepare<[string, string, string, number]>(
    "INSERT INTO webhook (url, events, secret, created_at) VALUES (?, ?, ?, ?)",
  );
  const remove = connection.prepare<[number, number]>(`
    UPDATE webhook SET removed_at = ?, url = '', secret = '', old_secret = NULL, old_secret_until = NULL WHERE id = ?`);
  const rotate = connection.prepare<[number, string, number]>(
    "UPDATE webhook SET old_secret = secret, old_secret_until = ?, secret = ? WHERE id = ?",
  );

  function found(id: number | bigint): WebhookRow {
    const row = find.get(Number(id));
    if (row === undefined) throw new Error("The webhook was not stored.");
    return webhookRow(row);
  }

  return {
    add({ url, events, secret }: NewWebhook, actor: Actor): WebhookRow | "too-many" {
      if (all.all().length >= webhooksMax) return "too-many";
      const row = found(insert.run(url, eventsOf({ events }), secret, actor.at).lastInsertRowid);
      audit(webhookEntry("add", row, { events }), actor);
      return row;
    },

    list: (): WebhookRow[] => all.all().map(webhookRow),

    remove(id: number, actor: Actor): boolean {
      const row = find.get(id);
      if (row === undefined) return false;
      remove.run(actor.at, id);
      audit(webhookEntry("remove", row), actor);
      return true;
    },

    rotate(id: number, secret: string, actor: Actor): WebhookRow | null {
      const row = find.get(id);
      if (row === undefined) return null;
      rotate.run(overlapEnd(actor.at), secret, id);
      audit(webhookEntry("rotate", row), actor);
      return found(id);
    },

    /** Records something that is done with the deliveries of a webhook. False when there is no such webhook. */
    note(action: "replay", id: number, actor: Actor, detail: Readonly<Record<string, unknown>>): boolean {
      const row = find.get(id);
      if (row !== undefined) audit(webhookEntry(action, row, detail), actor);
      return row !== undefined;
    },
  };
}

function prepareDeliveries(connection: SqliteConnection) {
  const list = (condition: string) =>
    connection.prepare<[number, number, number], ListedDelivery>(`
      SELECT ${deliveryColumns} FROM webhook_delivery AS delivery
      JOIN webhook ON webhook.id = delivery.webhook LEFT JOIN submission ON submission.arrival = delivery.submission
      WHERE webhook.removed_at IS NULL AND delivery.id < ?1 AND ${condition} ORDER BY delivery.id DESC LIMIT ?2`);
  const listAll = list("?3 = 0");
  const listOf = list("delivery.webhook = ?3");
  const hearers = connection.prepare<[], { id: number }>("SELECT id FROM webhook WHERE removed_at IS NULL ORDER BY id");
  const dueOf = `delivery.webhook = ?1 AND delivery.status = 'queued' AND delivery.due_at <= ?2
    AND (delivery.lease_until IS NULL OR delivery.lease_until < ?2)`;
  const isDue = connection.prepare<[number, number], object>(
    `SELECT 1 FROM webhook_delivery AS delivery WHERE ${dueOf} LIMIT 1`,
  );
  const due = connection.prepare<[number, number, number], ClaimedDelivery>(`
    SELECT ${claimedColumns} FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook
    LEFT JOIN submission ON submission.arrival = delivery.submission
    LEFT JOIN subscriber ON subscriber.email_key = delivery.subscriber
    WHERE ${dueOf} ORDER BY delivery.due_at, delivery.id LIMIT ?3`);
  const lend = connection.prepare<[string, number, number]>(
    "UPDATE webhook_delivery SET lease_owner = ?, lease_until = ? WHERE id = ?",
  );
  const settle = connection.prepare<
    [string, number, number | null, number | null, string | null, number, number, string]
  >(`
    UPDATE webhook_delivery SET status = ?, attempts = attempts + ?, due_at = ?, ended_at = ?,
      last_answer = coalesce(?, last_answer), lease_owner = NULL, lease_until = NULL
    WHERE id = ? AND created_at = ? AND status = 'queued' AND lease_owner = ?`);
  // A lease stays with its holder: the delivery may be on its way at this moment.
  const replay = connection.prepare<[number, number, number], { webhook: number }>(`
    UPDATE webhook_delivery SET status = 'queued', due_at = ?, ended_at = NULL, attempts = 0
    WHERE id = ? AND created_at = ? AND webhook IN (SELECT id FROM webhook WHERE removed_at IS NULL)
    RETURNING webhook`);
  const failed = connection.prepare<[number, number], { id: number; createdAt: number }>(`
    SELECT id, created_at AS createdAt FROM webhook_delivery
    WHERE webhook = ? AND status = 'failed' AND id > ? ORDER BY id LIMIT ${replayedAtOnce}`);

  return {
    list(webhook: number | null, page: PageRequest): Page<DeliveryRow> {
      const limit = rowsOf(page);
      const statement = webhook === null ? listAll : listOf;
      return deliveryPage(statement.all(page.after ?? Number.MAX_SAFE_INTEGER, limit + 1, webhook ?? 0), limit);
    },

    isDue: ({ now, except }: DeliveryClaim): boolean =>
      hearers.all().some(({ id }) => !except.includes(id) && isDue.get(id, now) !== undefined),

    claim({ now, limit, except, lease }: DeliveryClaim): LeasedDelivery[] {
      const rows = hearers.all().flatMap(({ id }) => (except.includes(id) ? [] : due.all(id, now, limit)));
      for (const { delivery } of rows) lend.run(lease.owner, lease.until, delivery);
      return rows.map((row) => leasedDelivery(row, now));
    },

    settle(id: string, settlement: DeliverySettlement, owner: string): void {
      const named = parseDeliveryId(id);
      if (named === null) return;
      const { status, tries, dueAt, endedAt, answer } = settledColumns(settlement);
      settle.run(status, tries, dueAt, endedAt, answer, named.row, named.createdAt, owner);
    },

    /** Answers the webhook of the delivery; null when there is no such delivery. */
    replay(id: string, now: number): number | null {
      const named = parseDeliveryId(id);
      return named === null ? null : (replay.get(now, named.row, named.createdAt)?.webhook ?? null);
    },

    replayFailed(webhook: number, now: number, after: number): { replayed: number; last: number | null } {
      const batch = failed.all(webhook, after);
      for (const { id, createdAt } of batch) replay.get(now, id, createdAt);
      return { replayed: batch.length, last: batch.length < replayedAtOnce ? null : (batch.at(-1)?.id ?? null) };
    },
  };
}
