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
  const nextMails = connection.prepare<[number], { id: number; createdAt: number }>(
    `SELECT id, created_at AS createdAt FROM mail WHERE id > ? ORDER BY id LIMIT ${forgottenAtOnce}`,
  );
  const mails = connection.prepare<[number, number, number]>(
    "DELETE FROM mail WHERE id > ? AND id <= ? AND created_at <= ? AND status <> 'queued'",
  );
  /** Mails up to this row were looked at, those that were too young excepted. */
  let mailsSeen = 0;

  // Mails have no index by time. Their rows are in the order of their times, but for seconds: once a batch ends with one
  // that is too young, the search begins again at the oldest.
  function forgetMails(before: number): { readonly forgotten: number; readonly more: boolean } {
    const batch = nextMails.all(mailsSeen);
    const last = batch.at(-1);
    if (last === undefined) {
      mailsSeen = 0;
      return { forgotten: 0, more: false };
    }
    const forgotten = Number(mails.run(mailsSeen, last.id, before).changes);
    const more = batch.length === forgottenAtOnce && last.createdAt <= before;
    mailsSeen = more ? last.id : 0;
    return { forgotten, more };
  }

  return {
    forget(now: number): { readonly forgotten: number; readonly more: boolean } {
      const before = expiredBefore(now);
      const counts = [keys.run(before.keys), challenges.run(before.challenges)].map(({ changes }) => Number(changes));
      const ofMails = forgetMails(before.mails);
      return {
        forgotten: counts.reduce((sum, count) => sum + count, ofMails.forgotten),
        more: ofMails.more || counts.includes(forgottenAtOnce),
      };
    },
  };
}
