// What webhooks are to be told of submissions, stored by the statement of the event itself.
import { keptBack } from "../webhook-store.ts";

/**
 * The part of a statement that stores what webhooks are to be told of submissions: once for each, so that one that was
 * taken for spam in between is not told again when it is released, unless it was kept back. Without webhooks it reads an empty table.
 *
 * @param from the submissions: a table with `arrival` and `kind`
 * @param at when it happened, in SQL
 * @param condition which of them, in SQL
 */
export const announcing = (from: string, at: string, condition = "true"): string => `
  announced AS (
    INSERT INTO webhook_delivery (webhook, event, submission, created_at, due_at)
    SELECT webhook.id, ${from}.kind || '.received', ${from}.arrival, ${at}, ${at} FROM ${from}, webhook
    WHERE removed_at IS NULL AND position(${from}.kind || '.received' IN events) > 0 AND ${condition}
      AND (SELECT id FROM webhook_delivery AS told WHERE told.submission = ${from}.arrival
        AND told.webhook = webhook.id AND told.last_answer IS DISTINCT FROM '${keptBack}' LIMIT 1) IS NULL
  )`;
