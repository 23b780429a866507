// Leases deliveries to webhooks.
import { type ClaimedDelivery, claimedColumns, leasedDelivery } from "../rules/webhooks.ts";
import type { WebhookStore } from "../webhook-store.ts";
import type { Connections } from "./connections.ts";
import { prepared } from "./statement.ts";

// Deliveries that another process is leasing at this moment are not waited for.
const claimDue = prepared<ClaimedDelivery>(`
  WITH due AS MATERIALIZED (
    SELECT waiting.id FROM webhook, LATERAL (
      SELECT id FROM webhook_delivery AS one
      WHERE one.webhook = webhook.id AND one.status = 'queued' AND one.due_at <= $1
        AND (one.lease_until IS NULL OR one.lease_until < $1)
      ORDER BY due_at, id LIMIT greatest($2::bigint - cardinality(array_positions($3::bigint[], webhook.id)), 0)
      FOR UPDATE SKIP LOCKED
    ) AS waiting WHERE removed_at IS NULL
  ),
  delivery AS (
    UPDATE webhook_delivery SET lease_owner = $4, lease_until = $5 FROM due
    WHERE webhook_delivery.id = due.id RETURNING webhook_delivery.*
  )
  SELECT ${claimedColumns} FROM delivery JOIN webhook ON webhook.id = delivery.webhook
  LEFT JOIN submission ON submission.arrival = delivery.submission
  LEFT JOIN subscriber ON subscriber.email_key = delivery.subscriber ORDER BY delivery.due_at, delivery.id`);

export const makeDeliveryClaims = (connections: Connections) =>
  ({
    async claimDeliveries({ now, limit, underWay, lease }) {
      // Repeatable: leases whose answer was lost run out.
      const values = [now, limit, underWay, lease.owner, lease.until];
      const rows = await connections.write(claimDue, values, { repeatable: true });
      return rows.map((row) => leasedDelivery(row, now));
    },
  }) satisfies Partial<WebhookStore>;
