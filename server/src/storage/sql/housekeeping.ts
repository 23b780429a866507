// Deletes expired rows, a batch of each table in one transaction. Rows that another transaction is changing at this moment
// are left to it.
import { dayMs } from "../rules/days.ts";
import { idempotencyMs, type Store } from "../store.ts";
import { type Engine, together } from "./engine.ts";

/** Mails that were sent, failed or are in doubt. Counted from when they were stored. */
export const mailMs = 90 * dayMs;

/** Deliveries to webhooks, after they were delivered or given up. */
const deliveryMs = 90 * dayMs;

/** Spent challenges, after they have expired: clocks of processes may differ. */
export const challengeMs = 60 * 60 * 1000;

/** Rows of each table that one commit forgets, so that no commit holds up the submissions behind it. */
export const forgottenAtOnce = 250;

function prepareStatements({ prepare, rowId, amongUnlocked }: Engine) {
  /** Deletes rows whose time was at or before an instant, the oldest first. */
  const forget = (table: string, key: string, time: string, condition = "true") =>
    prepare<object>(`
      DELETE FROM ${table} WHERE ${amongUnlocked(
        rowId(key),
        `SELECT ${rowId(key)} FROM ${table} WHERE ${time} <= $1 AND ${condition}
        ORDER BY ${time} LIMIT ${forgottenAtOnce}`,
      )} RETURNING 1`);
  return {
    forgetKeys: forget("idempotency", "procedure, key_hash", "created_at"),
    forgetChallenges: forget("spent_challenge", "challenge_hash", "expires_at"),
    forgetDeliveries: forget("webhook_delivery", "id", "ended_at"),
    forgetOfRemoved: prepare<object>(`
      DELETE FROM webhook_delivery WHERE ${amongUnlocked(
        "id",
        `SELECT id FROM webhook_delivery
        WHERE webhook IN (SELECT id FROM webhook WHERE removed_at IS NOT NULL) LIMIT ${forgottenAtOnce}`,
      )} RETURNING 1`),
    forgetMails: forget("mail", "id", "created_at", "status <> 'queued'"),
  };
}

export function makeHousekeeping(engine: Engine) {
  const statements = prepareStatements(engine);

  return {
    forgetExpired: (now) =>
      engine.transaction(
        function* () {
          const rows = yield* together([
            statements.forgetKeys(now - idempotencyMs),
            statements.forgetChallenges(now - challengeMs),
            statements.forgetDeliveries(now - deliveryMs),
            statements.forgetOfRemoved(),
            statements.forgetMails(now - mailMs),
          ]);
          const counts = rows.map(({ length }) => length);
          const forgotten = counts.reduce((sum, count) => sum + count, 0);
          return { forgotten, more: counts.includes(forgottenAtOnce) };
        },
        { repeatable: true },
      ),
  } satisfies Partial<Store>;
}
