// Outgoing webhooks, and the deliveries that wait for them or were made.
import type { DeliveryRow, DeliveryStatus, WebhookEvent, WebhookRow } from "@submissions/shared/console";
import type { AuditEntry } from "../desk-store.ts";
import { changeInBatches } from "../pages.ts";
import { columnsOf } from "../rules/columns.ts";
import { deliveriesOf, deliveryId, parseDeliveryId } from "../rules/webhooks.ts";
import { keptBack, secretOverlapMs, webhooksMax, type WebhookStore } from "../webhook-store.ts";
import { prepareAudit } from "./audit.ts";
import { type Engine, only } from "./engine.ts";
import { prepareNewestFirst } from "./ranges.ts";

/** Deliveries that one transaction replays. */
const replayedAtOnce = 250;

interface ListedWebhook extends Omit<WebhookRow, "events" | "last"> {
  /** Names with a space between them. No name is a part of another. */
  readonly events: string;
  readonly lastStatus: DeliveryStatus | null;
  readonly lastAt: number | null;
  readonly lastAnswer: string | null;
}

function webhookRow({ events, lastStatus: status, lastAt: createdAt, lastAnswer, ...row }: ListedWebhook): WebhookRow {
  const last = status === null || createdAt === null ? null : { status, createdAt, lastAnswer };
  return { ...row, events: events.split(" ") as WebhookEvent[], last };
}

/** Enough of a webhook to name it in the audit log. */
type NamedWebhook = Pick<WebhookRow, "id" | "url">;

/** An entry of the audit log. The path of an address may be secret. */
const entryOf = (
  action: "add" | "remove" | "rotate" | "replay" | "test",
  { id, url }: NamedWebhook,
  more: Readonly<Record<string, unknown>> = {},
): AuditEntry => ({
  action: `webhook.${action}`,
  subject: `webhook ${id}`,
  detail: { host: URL.parse(url)?.host ?? null, ...more },
});

const live = "removed_at IS NULL";

export function makeWebhooks(engine: Engine) {
  const { prepare, locking, amongUnlocked, read, write, transaction } = engine;
  // A lease stays with its holder: the delivery may be on its way at this moment.
  const replay =
    "UPDATE webhook_delivery SET status = 'queued', due_at = $1, scheduled_at = $1, ended_at = NULL, attempts = 0";
  const statements = {
    count: prepare<{ count: number }>(`SELECT count(*) AS count FROM webhook WHERE ${live}`),
    list: prepare<ListedWebhook>(`
      SELECT ${columnsOf("webhook", ["id", "url", "events", "createdAt", "oldSecretUntil"])}, last.status AS "lastStatus", last.created_at AS "lastAt", last.last_answer AS "lastAnswer"
      FROM webhook LEFT JOIN webhook_delivery AS last ON last.id = (
        SELECT max(id) FROM webhook_delivery WHERE webhook_delivery.webhook = webhook.id
      )
      WHERE ${live} ORDER BY webhook.id`),
    lockOne: prepare<NamedWebhook>(
      `SELECT id, url FROM webhook WHERE id = $1 AND ${live} ${locking("FOR NO KEY UPDATE")}`,
    ),
    insert: prepare<NamedWebhook>(`
      INSERT INTO webhook (url, events, secret, created_at) VALUES ($1, $2, $3, $4) RETURNING id, url`),
    remove: prepare(`
      UPDATE webhook SET removed_at = $2, url = '', secret = '', old_secret = NULL, old_secret_until = NULL
      WHERE id = $1`),
    rotate: prepare("UPDATE webhook SET old_secret = secret, old_secret_until = $2, secret = $3 WHERE id = $1"),
    replayOne: prepare<NamedWebhook>(`
      ${replay} WHERE id = $2 AND created_at = $3 AND webhook IN (SELECT id FROM webhook WHERE ${live})
      RETURNING webhook AS id, (SELECT url FROM webhook WHERE webhook.id = webhook_delivery.webhook) AS url`),
    replayFailed: prepare<{ id: number }>(`
      ${replay} WHERE ${amongUnlocked(
        "id",
        `SELECT id FROM webhook_delivery
        WHERE webhook = $2 AND status = 'failed' AND last_answer IS DISTINCT FROM '${keptBack}' AND id > $3
        ORDER BY id LIMIT ${replayedAtOnce}`,
      )} RETURNING id`),
  };
  const audit = prepareAudit(engine);
  const deliveries = prepareNewestFirst(engine, {
    columns: `webhook_delivery.id AS number, webhook, event, reference, webhook_delivery.status, attempts,
      webhook_delivery.created_at AS "createdAt", due_at AS "dueAt", ended_at AS "endedAt", last_answer AS "lastAnswer"`,
    name: "webhook_delivery",
    joins: `JOIN webhook ON webhook.id = webhook_delivery.webhook
      LEFT JOIN submission ON submission.arrival = webhook_delivery.submission`,
    number: "webhook_delivery.id",
    numberOf: ({ number }: Omit<DeliveryRow, "id">) => number,
    recordOf: (row): DeliveryRow => ({ ...row, id: deliveryId({ row: row.number, createdAt: row.createdAt }) }),
  });

  return {
    add: transaction(function* ({ url, events, secret }, actor) {
      if (only(yield* statements.count()).count >= webhooksMax) return "too-many";
      const stored = only(yield* statements.insert(url, events.join(" "), secret, actor.at));
      yield* audit(entryOf("add", stored, { events }), actor);
      return stored.id;
    }),

    list: async () => (await read(statements.list())).map(webhookRow),

    change: transaction(function* (id, change, actor) {
      const [found] = yield* statements.lockOne(id);
      if (found === undefined) return false;
      const action = "removed" in change ? "remove" : "tested" in change ? "test" : "rotate";
      const about = { submission: null, subscriber: null, detail: "{}" };
      if ("removed" in change) yield* statements.remove(id, actor.at);
      else if ("secret" in change) yield* statements.rotate(id, actor.at + secretOverlapMs, change.secret);
      else yield* engine.insert({ webhook_delivery: deliveriesOf([id], "webhook.test", about, actor.at) });
      yield* audit(entryOf(action, found), actor);
      return true;
    }),

    listDeliveries: (webhook, page) =>
      deliveries(page, (bind) =>
        webhook === null
          ? { conditions: [live] }
          : { conditions: [live, `webhook = ${bind(webhook)}`], index: "webhook_delivery_webhook" },
      ),

    async replay(which, actor) {
      const replayed = await transaction(function* () {
        if ("delivery" in which) {
          const named = parseDeliveryId(which.delivery);
          const [webhook] = named === null ? [] : yield* statements.replayOne(actor.at, named.row, named.createdAt);
          if (webhook !== undefined) yield* audit(entryOf("replay", webhook, which), actor);
          return webhook === undefined ? null : 1;
        }
        const [webhook] = yield* statements.lockOne(which.failedOf);
        if (webhook !== undefined) yield* audit(entryOf("replay", webhook, { deliveries: "failed" }), actor);
        return webhook === undefined ? null : 0;
      })();
      if ("delivery" in which || replayed === null) return replayed;
      return changeInBatches(async (after) => {
        const rows = await write(statements.replayFailed(actor.at, which.failedOf, after));
        return rows.map(({ id }) => id);
      });
    },
  } satisfies Partial<WebhookStore>;
}
