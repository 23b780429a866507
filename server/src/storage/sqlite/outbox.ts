// The mails that wait, who holds them and how they ended. Runs inside a transaction of the commit queue, or reads.
import type { LeasedMail, MailKind, MailSettlement, MailStatus, StoredMail } from "../records.ts";
import { mailId, type MailRow, parseMailId } from "../rules/mail-id.ts";
import { storable } from "../rules/mails.ts";
import { readSubmission, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { readWelcome } from "../rules/subscription.ts";
import type { Lease } from "../store.ts";
import type { SqliteConnection } from "./connection.ts";
import type { Suppressions } from "./suppression.ts";

/** Mails that one commit wakes or gives back. */
const mailsAtOnce = 250;

/** Mails that are counted before other work gets its turn: about a millisecond. */
const countedAtOnce = 20_000;

type StoppedStatus = Extract<MailStatus, "failed" | "in-doubt">;

/** Where a queued mail is in the order in which mails are due. */
export interface DuePlace {
  readonly dueAt: number;
  readonly id: number;
}

export const firstPlace: DuePlace = { dueAt: 0, id: 0 };

export type Outbox = ReturnType<typeof prepareClaims> &
  ReturnType<typeof prepareSettlements> &
  ReturnType<typeof prepareOversight>;

export const prepareOutbox = (connection: SqliteConnection, suppressions: Suppressions): Outbox => ({
  ...prepareClaims(connection),
  ...prepareSettlements(connection, suppressions),
  ...prepareOversight(connection),
});

// The queued mails behind a place (?1, ?2), in their order. As one comparison, (due_at, id) > (?1, ?2), SQLite would read
// all mails that are due at the same time again and again.
const queuedBehind = (columns: string) => `
  SELECT ${columns} FROM mail WHERE status = 'queued' AND due_at = ?1 AND id > ?2
  UNION ALL SELECT ${columns} FROM mail WHERE status = 'queued' AND due_at > ?1 ORDER BY dueAt, id`;

function prepareClaims(connection: SqliteConnection) {
  type DueMail = SubmissionRow & {
    readonly mail: number;
    readonly mailKind: MailKind;
    readonly createdAt: number;
    readonly attempts: number;
    readonly denials: number | null;
    readonly leaseOwner: string | null;
    readonly tokens: string | null;
    readonly subscriber: string | null;
  };
  const due = connection.prepare<[number, number], DueMail>(`
    SELECT mail.id AS mail, mail.kind AS mailKind, mail.created_at AS createdAt, mail.attempts, mail.denials,
      mail.lease_owner AS leaseOwner, mail.tokens, subscriber.email AS subscriber,
      ${submissionColumns.map((column) => `submission.${column}`).join(", ")}
    FROM mail LEFT JOIN submission ON submission.arrival = mail.submission
    LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber
    WHERE mail.status = 'queued' AND mail.due_at <= ?1 AND (mail.lease_until IS NULL OR mail.lease_until < ?1)
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

  function aboutOf(row: DueMail): LeasedMail["about"] | null {
    if (row.subscriber !== null) {
      const welcome = readWelcome(row.subscriber, row.tokens);
      return welcome === null ? null : { welcome };
    }
    const submission = readSubmission(row);
    return submission === null ? null : { submission };
  }

  return {
    claim(now: number, limit: number, { owner, until }: Lease): LeasedMail[] {
      const claimed: LeasedMail[] = [];
      for (const row of due.all(now, limit)) {
        const { mail, mailKind: kind, createdAt, attempts, leaseOwner } = row;
        const about = aboutOf(row);
        if (about === null) {
          setAside.run(mail);
          continue;
        }
        // The process that let the lease run out may have sent the mail and died before it recorded that.
        const denials = leaseOwner === null || leaseOwner === owner ? row.denials : 0;
        lend.run(owner, until, denials, mail);
        claimed.push({ id: mailId(mail, createdAt), kind, about, createdAt, attempts, denials, leasedUntil: until });
      }
      return claimed;
    },

    renew: (ids: readonly string[], { owner, until }: Lease): ReadonlySet<string> =>
      new Set(
        ids.filter((id) => {
          const mail = parseMailId(id);
          return mail !== null && renew.run(until, mail.row, mail.createdAt, owner).changes === 1;
        }),
      ),

    /** Looks at one batch of queued mails and gives back those of an owner. Answers the last place, null at the end. */
    giveBack(owner: string, now: number, after: DuePlace): DuePlace | null {
      const batch = queued.all(after.dueAt, after.id);
      for (const mail of batch) if (mail.owner === owner) giveBack.run(now, mail.id);
      return batch.length < mailsAtOnce ? null : (batch.at(-1) ?? null);
    },
  };
}

function prepareSettlements(connection: SqliteConnection, suppressions: Suppressions) {
  // A settlement counts the try, gives the lease back, and touches no mail that another owner holds.
  const mine = "WHERE id = ? AND created_at = ? AND status = 'queued' AND lease_owner = ?";
  const noLease = "lease_owner = NULL, lease_until = NULL";
  const sent = connection.prepare<[number, string, number, number, string]>(`
    UPDATE mail SET status = 'sent', sent_at = ?, provider_id = ?, attempts = attempts + 1, due_at = NULL,
      last_error = NULL, denials = NULL, tokens = NULL, ${noLease} ${mine}`);
  const stopped = connection.prepare<[StoppedStatus, string, number | null, number, number, string]>(`
    UPDATE mail SET status = ?, last_error = ?, denials = ?, attempts = attempts + 1, due_at = NULL, ${noLease} ${mine}`);
  const later = connection.prepare<[number, number, string, number | null, number, number, string]>(`
    UPDATE mail SET attempts = attempts + ?, due_at = ?, last_error = ?, denials = ?, ${noLease} ${mine}`);

  function settleOne({ row, createdAt }: MailRow, settlement: MailSettlement, owner: string): void {
    if (settlement.result === "sent") {
      sent.run(settlement.at, storable(settlement.providerId), row, createdAt, owner);
      return;
    }
    const { denials } = settlement;
    const error = storable(settlement.error);
    if (settlement.result === "later") {
      later.run(settlement.tried ? 1 : 0, settlement.dueAt, error, denials, row, createdAt, owner);
      return;
    }
    // Before the mail is settled: the lease says whose mail it is.
    if (settlement.result === "failed" && settlement.inactiveRecipient === true) {
      suppressions.noteRefusal(row, createdAt, owner, settlement.at);
    }
    stopped.run(settlement.result, error, denials, row, createdAt, owner);
  }

  return {
    settle(settlements: readonly MailSettlement[], owner: string): void {
      for (const settlement of settlements) {
        const mail = parseMailId(settlement.id);
        if (mail !== null) settleOne(mail, settlement, owner);
      }
    },
  };
}

function prepareOversight(connection: SqliteConnection) {
  interface Row extends Omit<StoredMail, "id"> {
    readonly row: number;
  }
  const columns = `mail.id AS row, mail.kind, submission.reference, coalesce(submission.email, subscriber.email) AS email,
    mail.status, mail.attempts, mail.created_at AS createdAt, mail.due_at AS dueAt, mail.sent_at AS sentAt,
    mail.provider_id AS providerId, mail.last_error AS lastError`;
  const joins = `LEFT JOIN submission ON submission.arrival = mail.submission
    LEFT JOIN subscriber ON subscriber.email_key = mail.subscriber`;
  // SQLite uses a partial index only where its condition is repeated, and has to be told: it would rather read all mails
  // in the order of their rows.
  const stopped = (status: StoppedStatus) => {
    const from = "FROM mail INDEXED BY mail_stopped";
    const where = `WHERE mail.status IN ('failed', 'in-doubt') AND mail.status = '${status}'`;
    const behind = `${from} ${where} AND id > ? ORDER BY id`;
    return {
      list: connection.prepare<[number, number], Row>(
        `SELECT ${columns} ${from} ${joins} ${where} AND mail.id < ? ORDER BY mail.id DESC LIMIT ?`,
      ),
      next: connection.prepare<[number], { id: number }>(`SELECT id ${behind} LIMIT ${mailsAtOnce}`),
      count: connection.prepare<[number], { count: number; last: number | null }>(`
        SELECT count(*) AS count, max(id) AS last FROM (SELECT id ${behind} LIMIT ${countedAtOnce})`),
    };
  };
  const statements = { failed: stopped("failed"), "in-doubt": stopped("in-doubt") };
  const window = connection.prepare<[number, number], { last: number | null; count: number }>(`
    SELECT min(id) AS last, count(*) AS count FROM (SELECT id FROM mail WHERE id < ? ORDER BY id DESC LIMIT ?)`);
  const listWithin = connection.prepare<[number, number, MailStatus | null], Row>(`
    SELECT ${columns} FROM mail ${joins} WHERE mail.id < ?1 AND mail.id >= ?2 AND (?3 IS NULL OR mail.status = ?3)
    ORDER BY mail.id DESC`);
  // A lease stays with its holder: the mail may be on its way at this moment.
  const wake = `UPDATE mail SET status = 'queued', due_at = ?,
    attempts = CASE status WHEN 'queued' THEN attempts ELSE 0 END WHERE id = ?`;
  const wakeRow = connection.prepare<[number, number]>(wake);
  const wakeOne = connection.prepare<[number, number, number]>(`${wake} AND created_at = ? AND status <> 'sent'`);
  const countQueued = connection.prepare<[number, number], { count: number; first: number | null }>(`
    SELECT count(*) AS count, min(id) AS first FROM (${queuedBehind("id, due_at AS dueAt")} LIMIT ${countedAtOnce})`);
  const lastCounted = connection.prepare<[number, number], DuePlace>(
    `${queuedBehind("id, due_at AS dueAt")} LIMIT 1 OFFSET ${countedAtOnce - 1}`,
  );
  const createdAt = connection.prepare<[number], { createdAt: number }>(
    "SELECT created_at AS createdAt FROM mail WHERE id = ?",
  );

  const storedMail = ({ row, ...mail }: Row): StoredMail => ({ id: mailId(row, mail.createdAt), ...mail });

  return {
    /** Mails before a row, newest first, with the row to go on before; null at the end. */
    listPage(status: MailStatus | undefined, before: number, limit: number) {
      if (status === "failed" || status === "in-doubt") {
        const rows = statements[status].list.all(before, limit);
        return { mails: rows.map(storedMail), last: rows.length < limit ? null : (rows.at(-1)?.row ?? null) };
      }
      const { last = null, count = 0 } = window.get(before, limit) ?? {};
      if (last === null) return { mails: [], last };
      const rows = listWithin.all(before, last, status ?? null);
      return { mails: rows.map(storedMail), last: count < limit ? null : last };
    },

    wakeOne(id: string, now: number): boolean {
      const mail = parseMailId(id);
      return mail !== null && wakeOne.run(now, mail.row, mail.createdAt).changes === 1;
    },

    /** Wakes one batch of stopped mails behind a row. Answers how many, and the row to go on behind; null at the end. */
    wakeBatch(status: StoppedStatus, now: number, after: number): { woken: number; last: number | null } {
      const batch = statements[status].next.all(after);
      for (const { id } of batch) wakeRow.run(now, id);
      return { woken: batch.length, last: batch.length < mailsAtOnce ? null : (batch.at(-1)?.id ?? null) };
    },

    /** Counts queued mails behind a place, with the place to go on behind; null at the end. */
    countQueued({ dueAt, id }: DuePlace) {
      const { count = 0, first = null } = countQueued.get(dueAt, id) ?? {};
      return { count, first, last: lastCounted.get(dueAt, id) ?? null };
    },

    /** Counts stopped mails behind a row, with the row to go on behind; null at the end. */
    countStopped(status: StoppedStatus, after: number) {
      const { count = 0, last = null } = statements[status].count.get(after) ?? {};
      return { count, last: count < countedAtOnce ? null : last };
    },

    createdAt: (row: number): number | null => createdAt.get(row)?.createdAt ?? null,
  };
}
