// Leases deliveries to webhooks.
import { type ClaimedDelivery, claimedColumns, leasedDelivery } from "../rules/webhooks.ts";
import type { WebhookStore } from "../webhook-store.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

export function makeDeliveryClaims(connection: SqliteConnection, run: RunJob) {
  const all = connection.prepare<[], { id: number }>("SELECT id FROM webhook WHERE removed_at IS NULL ORDER BY id");
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

  return {
    async claimDeliveries({ now, limit, underWay, lease }) {
      const roomOf = (id: number) => limit - underWay.filter((one) => one === id).length;
      const asked = () => all.all().filter(({ id }) => roomOf(id) > 0);
      // Without a transaction where there is nothing to do: this is asked for every second.
      if (!(await retryWhileBusy(() => asked().some(({ id }) => isDue.get(id, now) !== undefined)))) return [];
      return run(() => {
        const rows = asked().flatMap(({ id }) => due.all(id, now, roomOf(id)));
        for (const { delivery } of rows) lend.run(lease.owner, lease.until, delivery);
        return rows.map((row) => leasedDelivery(row, now));
      });
    },
  } satisfies Partial<WebhookStore>;
}
