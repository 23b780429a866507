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
  /** Deletes rows whose time was at or before an instant. */
  const forget = (table: string, key: string, time: string) =>
    prepare<object>(`
      DELETE FROM ${table} WHERE ${amongUnlocked(
        rowId(key),
        `SELECT ${rowId(key)} FROM ${table} WHERE ${time} <= $1 ORDER BY ${time} LIMIT ${forgottenAtOnce}`,
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
    nextMails: prepare<{ id: number; createdAt: number }>(
      `SELECT id, created_at AS "createdAt" FROM mail WHERE id > $1 ORDER BY id LIMIT ${forgottenAtOnce}`,
    ),
    forgetMails: prepare<object>(`
      DELETE FROM mail WHERE ${amongUnlocked(
        "id",
        "SELECT id FROM mail WHERE id > $1 AND id <= $2 AND created_at <= $3 AND status <> 'queued'",
      )} RETURNING 1`),
  };
}

export function makeHousekeeping(engine: Engine) {
  const statements = prepareStatements(engine);
  /** Mails up to this row were looked at. */
  let mailsSeen = 0;

  function* forget(now: number) {
    const mailsBefore = now - mailMs;
    const [keys, challenges, deliveries, ofRemoved, mails] = yield* together([
      statements.forgetKeys(now - idempotencyMs),
      statements.forgetChallenges(now - challengeMs),
      statements.forgetDeliveries(now - deliveryMs),
      statements.forgetOfRemoved(),
      statements.nextMails(mailsSeen),
    ]);
    const last = mails.at(-1);
    const ofMails = last === undefined ? [] : yield* statements.forgetMails(mailsSeen, last.id, mailsBefore);
    // Mails have no index by time. Their rows are in the order of their times, but for seconds: once a batch ends with one
    // that is too young, the search begins again at the oldest.
    const seen = last !== undefined && mails.length === forgottenAtOnce && last.createdAt <= mailsBefore ? last.id : 0;
    const counts = [keys, challenges, deliveries, ofRemoved].map(({ length }) => length);
    const forgotten = counts.reduce((sum, count) => sum + count, ofMails.length);
    return { forgotten, more: seen > 0 || counts.includes(forgottenAtOnce), seen };
  }

  return {
    async forgetExpired(now) {
      const { seen, ...answer } = await engine.transaction(() => forget(now), { repeatable: true });
      // Set after the commit: the transaction may be undone.
      mailsSeen = seen;
      return answer;
    },
  } satisfies Partial<Store>;
}
