// Mails that are made due now: the digest of a day, and those that an operator wakes.
import { changeInBatches } from "../pages.ts";
import { storedDay } from "../rules/days.ts";
import { parseMailId } from "../rules/mail-id.ts";
import type { Store } from "../store.ts";
import type { Engine } from "./engine.ts";

/** Mails that one transaction wakes. */
export const wokenAtOnce = 250;

export function makeWaking({ prepare, indexedBy, amongUnlocked, write }: Engine) {
  const storeDigest = prepare<{ id: number }>(`
    INSERT INTO mail (kind, digest_day, digest, status, created_at, due_at)
    VALUES ('digest', $1, $2, 'queued', $3, $3) ON CONFLICT DO NOTHING RETURNING id`);
  // A lease stays with its holder: the mail may be on its way at this moment.
  const wake = `UPDATE mail SET status = 'queued', due_at = $1,
    attempts = CASE status WHEN 'queued' THEN attempts ELSE 0 END`;
  const wakeOne = prepare<{ id: number }>(
    `${wake} WHERE id = $2 AND created_at = $3 AND status <> 'sent' RETURNING id`,
  );
  // The status is part of the text, and the condition of the index is repeated: only then the planners use it.
  const wakeBatch = (status: "failed" | "in-doubt") =>
    prepare<{ id: number }>(`
      ${wake} WHERE ${amongUnlocked(
        "id",
        `SELECT id FROM mail ${indexedBy("mail_stopped")}
        WHERE status IN ('failed', 'in-doubt') AND status = '${status}' AND id > $2 ORDER BY id LIMIT ${wokenAtOnce}`,
      )} RETURNING id`);
  const wakeSome = { failed: wakeBatch("failed"), "in-doubt": wakeBatch("in-doubt") };

  return {
    /** The second time, the day already has a digest. */
    async storeDigest(digest, now) {
      const day = storedDay(Date.parse(digest.day));
      return (await write(storeDigest(day, JSON.stringify(digest), now))).length === 1;
    },

    async retryMails(which, now) {
      if ("id" in which) {
        const mail = parseMailId(which.id);
        return mail === null ? 0 : (await write(wakeOne(now, mail.row, mail.createdAt))).length;
      }
      const wakeNext = wakeSome[which.status];
      return changeInBatches(wokenAtOnce, (after) => write(wakeNext(now, after)));
    },
  } satisfies Partial<Store>;
}
