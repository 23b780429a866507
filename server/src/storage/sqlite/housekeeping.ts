// Deletes expired rows, one batch in each transaction.
import { expiredBefore, forgottenAtOnce } from "../rules/retention.ts";
import type { Store } from "../store.ts";
import type { SqliteConnection } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

export function makeHousekeeping(connection: SqliteConnection, run: RunJob) {
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
  /** Mails up to this row were looked at. */
  let mailsSeen = 0;

  // Mails have no index by time. Their rows are in the order of their times, but for seconds: once a batch ends with one
  // that is too young, the search begins again at the oldest.
  function forgetMails(before: number): { readonly forgotten: number; readonly seen: number } {
    const batch = nextMails.all(mailsSeen);
    const last = batch.at(-1);
    if (last === undefined) return { forgotten: 0, seen: 0 };
    const forgotten = Number(mails.run(mailsSeen, last.id, before).changes);
    return { forgotten, seen: batch.length === forgottenAtOnce && last.createdAt <= before ? last.id : 0 };
  }

  function forget(now: number) {
    const before = expiredBefore(now);
    const counts = [
      keys.run(before.keys),
      challenges.run(before.challenges),
      deliveries.run(before.deliveries),
      ofRemoved.run(),
    ].map(({ changes }) => Number(changes));
    return { counts, ofMails: forgetMails(before.mails) };
  }

  return {
    async forgetExpired(now) {
      const { counts, ofMails } = await run(() => forget(now));
      // Set after the commit: the job itself may be undone.
      mailsSeen = ofMails.seen;
      return {
        forgotten: counts.reduce((sum, count) => sum + count, ofMails.forgotten),
        more: ofMails.seen > 0 || counts.includes(forgottenAtOnce),
      };
    },
  } satisfies Partial<Store>;
}
