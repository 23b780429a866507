// Deletes expired rows, a batch of each table in one transaction. Rows that another transaction is changing at this moment
// are left to it. What was stored by a clock that was ahead is not kept until it is that late.
import { dayMs } from "../../clock.ts";
import { idempotencyMs } from "../limits.ts";
import { unsentFilesMs } from "../reply-store.ts";
import { unmatchedDays } from "../inbound-store.ts";
import type { Store } from "../store.ts";
import { type Engine, only, together } from "./engine.ts";

/** Mails that were sent, failed or are in doubt. Counted from when they were stored. */
export const mailMs = 90 * dayMs;
/** Deliveries to webhooks, after they were delivered or given up. */
const deliveryMs = 90 * dayMs;
/** Spent challenges, after they have expired: clocks of processes may differ. */
export const challengeMs = 60 * 60 * 1000;
/** By so much the times of rows may be ahead: clocks are set by seconds. */
const slackMs = 60 * 1000;
/** Rows of each table that one commit forgets, so that no commit holds up the submissions behind it. */
export const forgottenAtOnce = 250;

export function makeHousekeeping({ prepare, rowId, amongUnlocked, transaction }: Engine) {
  const batchOf = (table: string, key: string, condition: string) => {
    const id = rowId(key);
    return amongUnlocked(id, `SELECT ${id} FROM ${table} WHERE ${condition} LIMIT ${forgottenAtOnce}`);
  };
  const forget = (table: string, key: string, condition: string) =>
    prepare<object>(`DELETE FROM ${table} WHERE ${batchOf(table, key, condition)} RETURNING 1`);
  /** Deletes rows whose time was at or before an instant, the oldest first. */
  const forgetOld = (table: string, key: string, time: string, condition = "true") =>
    forget(table, key, `${time} <= $1 AND ${condition} ORDER BY ${time}`);
  /** Rows with a time behind $2 count from $1. */
  const rewind = (table: string, key: string, time: string) =>
    prepare(`UPDATE ${table} SET ${time} = $1 WHERE ${batchOf(table, key, `${time} > $2 ORDER BY ${time}`)}`);
  const newest = (table: string) => `SELECT max(created_at) AS at FROM ${table} WHERE created_at < $1`;
  const newestBefore = prepare<{ at: number | null }>(`
    SELECT max(at) AS at FROM (${newest("idempotency")} UNION ALL ${newest("mail")}) AS newest`);
  const rewindKeys = rewind("idempotency", "procedure, key_hash", "created_at");
  const rewindDeliveries = rewind("webhook_delivery", "id", "ended_at");
  // The times of mails are parts of their ids. But numbers ascend: a mail is older than one with a higher number. Nothing is
  // added to it but 0, so that no planner reads all mails with lower numbers.
  const forgetMailsAhead = forget(
    "mail",
    "id",
    `created_at > $1 AND status <> 'queued'
      AND id + 0 < (SELECT id FROM mail WHERE created_at <= $2 ORDER BY created_at DESC LIMIT 1)
    ORDER BY created_at`,
  );
  const forgetKeys = forgetOld("idempotency", "procedure, key_hash", "created_at");
  const forgetChallenges = forgetOld("spent_challenge", "challenge_hash", "expires_at");
  const forgetDeliveries = forgetOld("webhook_delivery", "id", "ended_at");
  const removed = "SELECT id FROM webhook WHERE removed_at IS NOT NULL";
  const forgetOfRemoved = forget("webhook_delivery", "id", `webhook IN (${removed})`);
  const forgetUnmatched = forgetOld("unmatched", "id", "at");
  // Attached to replies that were never sent.
  const forgetFiles = forgetOld("reply_file", "id", "at", "reply IS NULL");
  const forgetMails = forgetOld("mail", "id", "created_at", "status <> 'queued'");

  return {
    forgetExpired: transaction(
      function* (clockNow, started) {
        const ahead = clockNow + slackMs;
        yield* together([rewindKeys(clockNow, ahead), rewindDeliveries(clockNow, ahead)]);
        // A clock that is wrong at a start is mostly set right within the day. Until then no more time has passed since the
        // newest row than the process has run.
        const isNew = started !== undefined && started.elapsedMs < dayMs;
        const { at } = isNew ? only(yield* newestBefore(started.at)) : { at: null };
        // The stopwatch has fractions, and columns of times none.
        const now = isNew && at !== null ? Math.min(clockNow, Math.floor(at + started.elapsedMs)) : clockNow;
        const rows = yield* together([
          forgetKeys(now - idempotencyMs),
          forgetChallenges(now - challengeMs),
          forgetDeliveries(now - deliveryMs),
          forgetOfRemoved(),
          forgetUnmatched(now - unmatchedDays * dayMs),
          forgetFiles(now - unsentFilesMs),
          forgetMailsAhead(ahead, now - mailMs),
          forgetMails(now - mailMs),
        ]);
        return { forgotten: rows.flat().length, more: rows.some(({ length }) => length === forgottenAtOnce) };
      },
      { repeatable: true },
    ),
  } satisfies Partial<Store>;
}
