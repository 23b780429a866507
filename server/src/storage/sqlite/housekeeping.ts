// Forgets what has had its time, a batch in each commit. Runs inside a transaction of the commit queue.
import { expiredBefore, forgottenAtOnce } from "../rules/retention.ts";
import type { SqliteConnection } from "./connection.ts";

export type Housekeeping = ReturnType<typeof prepareHousekeeping>;

export function prepareHousekeeping(connection: SqliteConnection) {
  const keys = connection.prepare<[number]>(`
    DELETE FROM idempotency WHERE (procedure, key_hash) IN (
      SELECT procedure, key_hash FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ${forgottenAtOnce})`);
  const challenges = connection.prepare<[number]>(`
    DELETE FROM spent_challenge WHERE challenge_hash IN (
      SELECT challenge_hash FROM spent_challenge WHERE expires_at <= ? ORDER BY expires_at LIMIT ${forgottenAtOnce})`);
  const deliveries = connection.prepare<[number]>(`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT id FROM webhook_delivery WHERE ended_at <= ? ORDER BY ended_at LIMIT ${forgottenAtOnce})`);
  const ofRemoved = connection.prepare<[]>(`
    DELETE FROM webhook_delivery WHERE id IN (
      SELECT delivery.id FROM webhook JOIN webhook_delivery AS delivery ON delivery.webhook = webhook.id
      WHERE webhook.removed_at IS NOT NULL LIMIT ${forgottenAtOnce})`);
  const nextMails = connection.prepare<[number], { id: number; createdAt: number }>(
    `SELECT id, created_at AS createdAt FROM mail WHERE id > ? ORDER BY id LIMIT ${forgottenAtOnce}`,
  );
  const mails = connection.prepare<[number, number, number]>(
    "DELETE FROM mail WHERE id > ? AND id <= ? AND created_at <= ? AND status <> 'queued'",
  );
  // Mails have no index by time. Their rows are in the order of their times, but for seconds: once a batch ends with one
  // that is too young, the search begins again at the oldest.
  function forgetMails(before: number, after: number): { readonly forgotten: number; readonly next: number } {
    const batch = nextMails.all(after);
    const last = batch.at(-1);
    if (last === undefined) return { forgotten: 0, next: 0 };
    const forgotten = Number(mails.run(after, last.id, before).changes);
    return { forgotten, next: batch.length === forgottenAtOnce && last.createdAt <= before ? last.id : 0 };
  }

  return {
    /**
     * @param mailsAfter `nextMail` of the last batch, 0 in the beginning
     * @returns `nextMail`: the row behind which the next batch looks for mails; 0 when this was the last one
     */
    forget(now: number, mailsAfter: number) {
      const before = expiredBefore(now);
      const counts = [
        keys.run(before.keys),
        challenges.run(before.challenges),
        deliveries.run(before.deliveries),
        ofRemoved.run(),
      ].map(({ changes }) => Number(changes));
      const { forgotten, next } = forgetMails(before.mails, mailsAfter);
      return {
        forgotten: counts.reduce((sum, count) => sum + count, forgotten),
        more: next > 0 || counts.includes(forgottenAtOnce),
        nextMail: next,
      };
    },
  };
}
