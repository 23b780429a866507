// The mails that wait, who holds them and how they ended.
import { reached } from "../../failpoint.ts";
import type { LeasedMail, MailSettlement, MailStatus } from "../records.ts";
import { claimedColumns, type ClaimedMail, claimedMail, settledColumns } from "../rules/leased-mail.ts";
import { mailId, parseMailId } from "../rules/mail-id.ts";
import { mailColumns, mailJoins, type ReadMail, storedMail } from "../rules/mail-row.ts";
import type { Store } from "../store.ts";
import type { Connections } from "./connections.ts";
import { lookedUp, prepared, type RowOf, type Statement } from "./statement.ts";

/** Mails that one transaction gives back. */
const mailsAtOnce = 500;

/** How a try of one mail ended: the columns of a settlement, with their types in SQL. */
export const settlingColumns = {
  id: "bigint",
  created_at: "bigint",
  owner: "text",
  status: "text",
  tries: "integer",
  due_at: "bigint",
  sent_at: "bigint",
  provider_id: "text",
  last_error: "text",
  denials: "integer",
} as const;

export type Settled = RowOf<typeof settlingColumns>;

/**
 * The part of a statement that settles mails. A settlement gives the lease back and touches no mail that another owner
 * holds. The status is asked for by the due time: otherwise the planner, which knows nothing of a new database, might read
 * the index of all queued mails.
 *
 * @param first number of its first parameter
 */
export const settling = (first: number): string => `
  settled AS (
    UPDATE mail SET status = ended.status, attempts = attempts + tries, due_at = ended.due_at,
      sent_at = ended.sent_at, provider_id = ended.provider_id, last_error = ended.last_error, denials = ended.denials,
      tokens = CASE ended.status WHEN 'sent' THEN NULL ELSE tokens END, lease_owner = NULL, lease_until = NULL
    FROM ${lookedUp("ended", settlingColumns, first)}
    WHERE mail.id = ended.id AND mail.created_at = ended.created_at
      AND mail.due_at IS NOT NULL AND mail.lease_owner = ended.owner
  )`;

const settledRows = (settlements: readonly MailSettlement[], owner: string): Settled[] =>
  settlements.flatMap((settlement) => {
    const mail = parseMailId(settlement.id);
    return mail === null ? [] : { id: mail.row, created_at: mail.createdAt, owner, ...settledColumns(settlement) };
  });

// Mails that another process is leasing at this moment are not waited for. A process that let a lease run out may have
// sent the mail and died before it recorded that.
const claimDue = prepared<ClaimedMail>(`
  WITH due AS MATERIALIZED (
    SELECT id FROM mail
    WHERE status = 'queued' AND due_at <= $1 AND (lease_until IS NULL OR lease_until < $5)
    ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
  ),
  claimed AS (
    UPDATE mail SET lease_owner = $3, lease_until = $4,
      denials = CASE WHEN lease_owner <> $3 THEN 0 ELSE denials END
    FROM due WHERE mail.id = due.id RETURNING mail.*
  )
  SELECT ${claimedColumns}, mail.denials FROM claimed AS mail ${mailJoins} ORDER BY mail.due_at, mail.id`);

const renew = prepared<{ id: number; createdAt: number }>(`
  UPDATE mail SET lease_until = $4 FROM ${lookedUp("held", { id: "bigint", created_at: "bigint" })}
  WHERE mail.id = held.id AND mail.created_at = held.created_at AND mail.due_at IS NOT NULL AND mail.lease_owner = $3
  RETURNING mail.id, mail.created_at AS "createdAt"`);

// An earlier due time stays: the oldest goes first.
const giveBack = prepared<{ id: number }>(`
  UPDATE mail SET lease_owner = NULL, lease_until = NULL, due_at = least(due_at, $2) WHERE id = ANY (ARRAY (
    SELECT id FROM mail WHERE status = 'queued' AND lease_owner = $1 LIMIT ${mailsAtOnce} FOR UPDATE
  )) RETURNING id`);

/**
 * Mails of all kinds (null) or of some, below a row, newest first. The status is part of the text: only then the planner
 * uses its index. Planned each time: the plan for any kinds and any limit could read all mails.
 */
export const mailsBelow = (status: MailStatus | undefined): Statement<ReadMail> => ({
  text: `
    SELECT ${mailColumns} FROM mail ${mailJoins}
    WHERE ${status === undefined ? "" : `mail.status = '${status}' AND`} mail.id < $2
      AND ($1::text[] IS NULL OR mail.kind = ANY ($1))
    ORDER BY mail.id DESC LIMIT $3`,
});

const backlog = prepared<Awaited<ReturnType<Store["mailBacklog"]>>>(`
  SELECT queued, (SELECT count(*) FROM mail WHERE status = 'failed') AS failed,
    (SELECT count(*) FROM mail WHERE status = 'in-doubt') AS "inDoubt",
    (SELECT created_at FROM mail WHERE id = oldest) AS "oldestCreatedAt", due AS "firstDueAt"
  FROM (SELECT count(*) AS queued, min(id) AS oldest, min(due_at) AS due FROM mail WHERE status = 'queued') AS waiting`);

/**
 * @param settle settles mails in the next commit of submissions
 * @param noteRefusal notes that the recipient of a mail was refused
 */
export const makeOutbox = (
  connections: Connections,
  settle: (settled: readonly Settled[]) => Promise<void>,
  noteRefusal: (row: number, createdAt: number, owner: string, at: number) => Promise<void>,
) =>
  ({
    async claimDueMails(now, limit, { owner, until }, endedBefore = now) {
      const claimed: LeasedMail[] = [];
      const unreadable: MailSettlement[] = [];
      // Repeatable: leases whose answer was lost expire.
      const values = [now, limit, owner, until, endedBefore];
      for (const row of await connections.write(claimDue, values, { repeatable: true })) {
        const mail = claimedMail(row, until);
        if (mail !== null) claimed.push(mail);
        else {
          const id = mailId(row.mail, row.createdAt);
          unreadable.push({ id, at: now, result: "failed", error: "unreadable row", denials: row.denials });
        }
      }
      await settle(settledRows(unreadable, owner));
      if (claimed.length > 0) reached("mail-claimed");
      return claimed;
    },

    async renewLeases(ids, { owner, until }) {
      const mails = ids.flatMap((id) => parseMailId(id) ?? []);
      const values = [mails.map(({ row }) => row), mails.map(({ createdAt }) => createdAt), owner, until];
      const held = await connections.write(renew, values, { repeatable: true });
      return new Set(held.map(({ id, createdAt }) => mailId(id, createdAt)));
    },

    async settleMails(settlements, owner) {
      for (const settlement of settlements) {
        if (settlement.result !== "failed" || settlement.inactiveRecipient !== true) continue;
        const mail = parseMailId(settlement.id);
        // Before the mail is settled: a settled mail has no lease, which says who may report on it.
        if (mail !== null) await noteRefusal(mail.row, mail.createdAt, owner, settlement.at);
      }
      await settle(settledRows(settlements, owner));
      reached("mail-settled");
    },

    async releaseMails(owner, now) {
      let batch: readonly unknown[];
      do batch = await connections.write(giveBack, [owner, now], { repeatable: true });
      while (batch.length === mailsAtOnce);
    },

    async listMails({ status, limit }) {
      const mails = await connections.all(mailsBelow(status), [null, Number.MAX_SAFE_INTEGER, limit]);
      return mails.map(storedMail);
    },

    async mailBacklog() {
      const [counts] = await connections.all(backlog);
      return counts ?? { queued: 0, failed: 0, inDoubt: 0, oldestCreatedAt: null, firstDueAt: null };
    },
  }) satisfies Partial<Store>;
