// The outbox of mails: its rows as mails, the daily digest, and how many wait.
import { emailKey } from "@submissions/shared/fields";
import { referenceDay } from "@submissions/shared/reference";
import { reached } from "../../failpoint.ts";
import { type ClaimedMail, mailTable } from "../rules/mail-row.ts";
import { parseMailId, type Settled } from "../rules/outbox-row.ts";
import { isToPerson } from "../rules/mails.ts";
import type { Store } from "../store.ts";
import { type Engine, only, type Steps, together } from "./engine.ts";
import { answeredUntil, heldUntil } from "./held.ts";
import { makeOutbox } from "./outbox.ts";
import { prepareStanding } from "./addresses.ts";

/** What an operator has put off for longer does not wait yet. */
const putOffMs = 24 * 60 * 60_000;

/** @param noteRefusal notes that the recipient of a mail was refused @param settleBeside see `outbox.ts` */
export function makeMails(
  engine: Engine,
  noteRefusal: (row: number, createdAt: number, owner: string, at: number) => Steps<void>,
  settleBeside?: (rows: readonly Settled[]) => Promise<readonly number[]>,
) {
  const { prepare, among, indexedBy, read, write, transaction } = engine;
  const standingOf = prepareStanding(engine);
  const hold = prepare(`
    UPDATE mail SET due_at = ${answeredUntil}, scheduled_at = $2, lease_owner = NULL, lease_until = NULL
    WHERE ${among("id", "$1", "bigint")}`);
  /** The addresses of people may have been suppressed since their mails were stored. The team's notices go out. */
  function* refused(rows: readonly ClaimedMail[], now: number): Steps<ReadonlyMap<number, string | null>> {
    const toPeople = rows.filter(({ mailKind }) => isToPerson(mailKind));
    const keys = toPeople.map(({ email, subscriber }) => emailKey(email ?? subscriber ?? ""));
    const standings = yield* together(keys.map((key) => standingOf(key)));
    const refusals = new Map<number, string | null>();
    for (const [at, { row }] of toPeople.entries()) {
      if (standings[at]?.some(({ reason }) => reason !== null)) refusals.set(row, "suppressed");
    }
    // Of a decline whose person has answered meanwhile: it waits for an operator's confirmation.
    const held = rows.flatMap(({ row, isHeld }) => (isHeld === 1 ? [row] : []));
    if (held.length > 0) yield* hold(held, now);
    for (const row of held) refusals.set(row, null);
    return refusals;
  }
  const noteAlone = transaction(noteRefusal);
  const outbox = makeOutbox(engine, mailTable, refused, settleBeside);
  const storeDigest = prepare<{ id: number }>(`
    INSERT INTO mail (kind, digest_day, digest, status, created_at, due_at)
    VALUES ('digest', $1, $2, 'queued', $3, $3) ON CONFLICT DO NOTHING RETURNING id`);
  // The status is part of the text, and the condition of the index is repeated: only then the planners use it.
  const stopped = (status: "failed" | "in-doubt") =>
    `(SELECT count(*) FROM mail ${indexedBy("mail_stopped")} WHERE status IN ('failed', 'in-doubt') AND status = '${status}')`;
  const backlog = prepare<Awaited<ReturnType<Store["mailBacklog"]>>>(`
    SELECT queued, ${stopped("failed")} AS failed, ${stopped("in-doubt")} AS "inDoubt",
      (SELECT created_at FROM mail WHERE id = oldest) AS "oldestCreatedAt", due AS "firstDueAt"
    FROM (SELECT count(*) AS queued, min(due_at) AS due,
        min(id) FILTER (WHERE due_at < $1 OR due_at = ${heldUntil}) AS oldest
      FROM mail ${indexedBy("mail_due")} WHERE status = 'queued') AS waiting`);

  return {
    mails: {
      ...outbox,

      async claim(...claim) {
        const claimed = await outbox.claim(...claim);
        if (claimed.length > 0) reached("mail-claimed");
        return claimed;
      },

      async settle(settlements, owner) {
        for (const settlement of settlements) {
          if (settlement.result !== "failed" || settlement.inactiveRecipient !== true) continue;
          const mail = parseMailId(settlement.id);
          // Before the mail is settled: the lease says whose mail it is.
          if (mail !== null) await noteAlone(mail.row, mail.createdAt, owner, settlement.at);
        }
        await outbox.settle(settlements, owner);
        reached("mail-settled");
      },
    },

    /** The second time, the day already has a digest. */
    async storeDigest(digest, now) {
      const day = referenceDay(Date.parse(digest.day));
      return (await write(storeDigest(day, JSON.stringify(digest), now))).length === 1;
    },

    mailBacklog: async (now = Infinity) => only(await read(backlog(Math.min(now + putOffMs, heldUntil)))),
  } satisfies Partial<Store>;
}
