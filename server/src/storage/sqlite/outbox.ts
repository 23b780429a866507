// The mails that wait, who holds them and how they ended.
import { reached } from "../../failpoint.ts";
import { inSteps } from "../pages.ts";
import type { LeasedMail, MailSettlement } from "../records.ts";
import { claimedColumns, type ClaimedMail, claimedMail, settledColumns } from "../rules/leased-mail.ts";
import { type MailRow, parseMailId } from "../rules/mail-id.ts";
import { mailJoins } from "../rules/mail-row.ts";
import { settlementWaitMs } from "../rules/mails.ts";
import type { Lease, Store } from "../store.ts";
import type { SqliteConnection } from "./connection.ts";
import type { RunJob } from "./jobs.ts";

/** Notes that the recipient of a mail was refused. */
type NoteRefusal = (row: number, createdAt: number, owner: string, at: number) => void;

/** Mails that one commit gives back. */
const mailsAtOnce = 250;

/** Where a queued mail is in the order in which mails are due. */
export interface DuePlace {
  readonly dueAt: number;
  readonly id: number;
}

export const firstPlace: DuePlace = { dueAt: 0, id: 0 };

export const makeOutbox = (connection: SqliteConnection, run: RunJob, noteRefusal: NoteRefusal) => ({
  ...makeClaims(connection, run),
  ...makeSettlements(connection, run, noteRefusal),
});

/**
 * The queued mails behind a place (?1, ?2), in their order. For one comparison, (due_at, id) > (?1, ?2), SQLite would
 * read all mails that are due at the same time again and again.
 */
export const queuedBehind = (columns: string) => `
  SELECT ${columns} FROM mail WHERE status = 'queued' AND due_at = ?1 AND id > ?2
  UNION ALL SELECT ${columns} FROM mail WHERE status = 'queued' AND due_at > ?1 ORDER BY dueAt, id`;

function makeClaims(connection: SqliteConnection, run: RunJob) {
  // A process that let a lease run out may have sent the mail and died before it recorded that.
  const due = connection.prepare<[number, number, string, number], ClaimedMail>(`
    SELECT ${claimedColumns}, CASE WHEN mail.lease_owner <> ?3 THEN 0 ELSE mail.denials END AS denials
    FROM mail ${mailJoins}
    WHERE mail.status = 'queued' AND mail.due_at <= ?1 AND (mail.lease_until IS NULL OR mail.lease_until < ?4)
    ORDER BY mail.due_at, mail.id LIMIT ?2`);
  const lend = connection.prepare<[string, number, number | null, number]>(
    "UPDATE mail SET lease_owner = ?, lease_until = ?, denials = ? WHERE id = ?",
  );
  const setAside = connection.prepare<[number]>(`
    UPDATE mail SET status = 'failed', due_at = NULL, lease_owner = NULL, lease_until = NULL, attempts = attempts + 1,
      last_error = 'unreadable row' WHERE id = ?`);
  const renew = connection.prepare<[number, number, number, string]>(`
    UPDATE mail SET lease_until = ? WHERE id = ? AND created_at = ? AND status = 'queued' AND lease_owner = ?`);
  const queued = connection.prepare<[number, number], DuePlace & { owner: string | null }>(
    `${queuedBehind("id, due_at AS dueAt, lease_owner AS owner")} LIMIT ${mailsAtOnce}`,
  );
  // An earlier due time stays: the oldest goes first.
  const giveBack = connection.prepare<[number, number]>(
    "UPDATE mail SET lease_owner = NULL, lease_until = NULL, due_at = min(due_at, ?) WHERE id = ?",
  );

  function claim(now: number, limit: number, { owner, until }: Lease, endedBefore: number): LeasedMail[] {
    const claimed: LeasedMail[] = [];
    for (const row of due.all(now, limit, owner, endedBefore)) {
      const mail = claimedMail(row, until);
      if (mail === null) setAside.run(row.mail);
      else {
        lend.run(owner, until, row.denials, row.mail);
        claimed.push(mail);
      }
    }
    return claimed;
  }

  function isRenewed(id: string, { owner, until }: Lease): boolean {
    const mail = parseMailId(id);
    return mail !== null && renew.run(until, mail.row, mail.createdAt, owner).changes === 1;
  }

  /** Looks at one batch of queued mails and gives back those of an owner. Answers the last place, null at the end. */
  function giveBackBatch(owner: string, now: number, after: DuePlace): DuePlace | null {
    const batch = queued.all(after.dueAt, after.id);
    for (const mail of batch) if (mail.owner === owner) giveBack.run(now, mail.id);
    return batch.length < mailsAtOnce ? null : (batch.at(-1) ?? null);
  }

  return {
    async claimDueMails(now, limit, lease, endedBefore = now) {
      const claimed = await run(() => claim(now, limit, lease, endedBefore));
      if (claimed.length > 0) reached("mail-claimed");
      return claimed;
    },

    renewLeases: (ids, lease) => run(() => new Set(ids.filter((id) => isRenewed(id, lease)))),

    releaseMails: (owner, now) => inSteps(firstPlace, (after) => run(() => giveBackBatch(owner, now, after))),
  } satisfies Partial<Store>;
}

function makeSettlements(connection: SqliteConnection, run: RunJob, noteRefusal: NoteRefusal) {
  // A settlement gives the lease back, and touches no mail that another owner holds.
  const settleMail = connection.prepare<readonly (string | number | null)[]>(`
    UPDATE mail SET status = ?1, attempts = attempts + ?2, due_at = ?3, sent_at = ?4, provider_id = ?5, last_error = ?6,
      denials = ?7, tokens = CASE ?1 WHEN 'sent' THEN NULL ELSE tokens END, lease_owner = NULL, lease_until = NULL
    WHERE id = ?8 AND created_at = ?9 AND status = 'queued' AND lease_owner = ?10`);

  function settleOne({ row, createdAt }: MailRow, settlement: MailSettlement, owner: string): void {
    // Before the mail is settled: the lease says whose mail it is.
    if (settlement.result === "failed" && settlement.inactiveRecipient === true) {
      noteRefusal(row, createdAt, owner, settlement.at);
    }
    const { status, tries, due_at, sent_at, provider_id, last_error, denials } = settledColumns(settlement);
    settleMail.run(status, tries, due_at, sent_at, provider_id, last_error, denials, row, createdAt, owner);
  }

  return {
    async settleMails(settlements, owner) {
      const settle = () => {
        for (const settlement of settlements) {
          const mail = parseMailId(settlement.id);
          if (mail !== null) settleOne(mail, settlement, owner);
        }
      };
      await run(settle, { waitMs: settlementWaitMs });
      reached("mail-settled");
    },
  } satisfies Partial<Store>;
}
