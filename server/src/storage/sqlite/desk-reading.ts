// One submission with all that belongs to it, one person, subscribers, mails and the audit log.
import type { Note, Page, PageRequest } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import type { DeskStore } from "../desk-store.ts";
import { readPages } from "../pages.ts";
import { searchRanges } from "../ranges.ts";
import type { MailStatus, SubmissionKind } from "../records.ts";
import { type AuditColumns, auditRow, historyMax } from "../rules/audit.ts";
import { makeBelongings, type Owner, ownerColumn, type UsedKey } from "../rules/belongings.ts";
import { hashedKey } from "../rules/erasing.ts";
import { mailKindsOf, pageOf, quoted, rowsOf } from "../rules/inbox-filter.ts";
import {
  detailColumns,
  type DetailRow,
  duplicatesMax,
  listedColumns,
  type ListedRow,
  type Twin,
} from "../rules/inbox-row.ts";
import { mailColumns, mailJoins, mailRow, type ReadMail } from "../rules/mail-row.ts";
import type { References } from "../rules/references.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import { type DeliveryFact, factColumns } from "../rules/webhooks.ts";
import { retryWhileBusy as read } from "./busy.ts";
import type { SqliteConnection, Statement } from "./connection.ts";

export function prepareDeskReading(connection: SqliteConnection, references: References) {
  const find = connection.prepare<[number, SubmissionKind], DetailRow>(`
    SELECT ${detailColumns} FROM submission WHERE day_number = ? AND kind = ?`);
  const mails = (condition: string) =>
    connection.prepare<[Owner], ReadMail>(`SELECT ${mailColumns} FROM mail ${mailJoins} WHERE ${condition}`);
  const mailsOf = {
    submission: mails("mail.submission = ? ORDER BY mail.id"),
    subscriber: mails("mail.subscriber = ? ORDER BY mail.created_at"),
  };
  const notesOf = connection.prepare<[number], Note>(
    "SELECT id, author, at, text FROM note WHERE submission = ? ORDER BY id",
  );
  const historyOf = connection.prepare<[string], AuditColumns>(
    `SELECT id, at, operator, action, subject, detail FROM audit WHERE subject = ? ORDER BY id DESC LIMIT ${historyMax}`,
  );
  const same = (column: "email_key" | "resume_sha256", index: string) =>
    connection.prepare<[string, number, string], Twin>(`
      SELECT arrival, reference, kind, received_at AS receivedAt, status FROM submission INDEXED BY ${index}
      WHERE ${column} = ? AND arrival <> ? AND kind IN (SELECT value FROM json_each(?))
      ORDER BY arrival DESC LIMIT ${duplicatesMax}`);
  const sameAddress = same("email_key", "submission_email");
  const sameResume = same("resume_sha256", "submission_same_resume");
  const ofPerson = connection.prepare<[string, number, string, number], ListedRow>(`
    SELECT ${listedColumns} FROM submission INDEXED BY submission_email
    WHERE email_key = ? AND arrival < ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY arrival DESC LIMIT ?`);
  const subscriberOf = connection.prepare<[string], SubscriberRow>(
    `SELECT ${subscriberColumns} FROM subscriber WHERE email_key = ?`,
  );
  const suppressionOf = connection.prepare<[string, string], { reason: string | null; at: number }>(
    "SELECT reason, changed_at AS at FROM suppression WHERE email_key IN (?, ?)",
  );
  const deliveries = (owner: "submission" | "subscriber") =>
    connection.prepare<[Owner], DeliveryFact>(`
      SELECT ${factColumns} FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook
      WHERE removed_at IS NULL AND delivery.${owner} = ?`);
  const deliveriesOf = { submission: deliveries("submission"), subscriber: deliveries("subscriber") };
  const keys = (owner: "submission" | "subscriber") =>
    connection.prepare<[Owner], UsedKey>(
      `SELECT procedure, created_at AS createdAt FROM idempotency WHERE ${owner} = ?`,
    );
  const keysOf = { submission: keys("submission"), subscriber: keys("subscriber") };
  // Every address holds the empty text.
  const subscribers = (condition: string) =>
    connection.prepare<[string, string, number, number, number], SubscriberRow>(`
      SELECT ${subscriberColumns} FROM subscriber ${condition} AND instr(email_key, ?2) > 0
        AND arrival > ?3 AND arrival < ?4 ORDER BY arrival DESC LIMIT ?5`);
  const allSubscribers = subscribers("NOT INDEXED WHERE ?1 = ''");
  const subscribersOf = subscribers("INDEXED BY subscriber_status WHERE status = ?1");
  const lastSubscriber = connection.prepare<[], { last: number | null }>("SELECT max(arrival) AS last FROM subscriber");
  const mailPage = prepareMailPage(connection);
  const auditBefore = connection.prepare<[number, number], AuditColumns>(
    "SELECT id, at, operator, action, subject, detail FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?",
  );
  const auditBehind = connection.prepare<[number, number], AuditColumns>(
    "SELECT id, at, operator, action, subject, detail FROM audit WHERE id > ? ORDER BY id LIMIT ?",
  );

  return {
    ...makeBelongings(references, {
      find: ({ dayNumber, kind }) => read(() => find.get(dayNumber, kind)),
      submissionsOf: (key, below, kinds, limit) => read(() => ofPerson.all(key, below, JSON.stringify(kinds), limit)),
      subscriberOf: (key) => read(() => subscriberOf.get(key)),
      suppressionOf: (key) => read(() => suppressionOf.get(key, hashedKey(key))),
      sameAddress: (key, arrival, kinds) => read(() => sameAddress.all(key, arrival, JSON.stringify(kinds))),
      sameResume: (sha256, arrival, kinds) => read(() => sameResume.all(sha256, arrival, JSON.stringify(kinds))),
      historyOf: (reference) => read(() => historyOf.all(reference)),
      notesOf: (arrival) => read(() => notesOf.all(arrival)),
      mailsOf: (owner) => read(() => mailsOf[ownerColumn(owner)].all(owner)),
      deliveriesOf: (owner) => read(() => deliveriesOf[ownerColumn(owner)].all(owner)),
      keysOf: (owner) => read(() => keysOf[ownerColumn(owner)].all(owner)),
    }),

    listSubscribers({ status = "", search = "" }, page) {
      const statement = status === "" ? allSubscribers : subscribersOf;
      return pageBelow(
        lastSubscriber,
        page,
        ({ arrival }) => arrival,
        (above, below, limit) => statement.all(status, emailKey(search), above, below, limit).map(storedSubscriber),
      );
    },

    async listMails(scope, status, page) {
      const kinds = mailKindsOf(scope);
      if (kinds.length === 0) return { rows: [], next: null };
      const found = await mailPage(kinds, status, page);
      return { ...found, rows: found.rows.map(mailRow) };
    },

    async listAudit(page) {
      const limit = rowsOf(page);
      const rows = await read(() => auditBefore.all(page.after ?? Number.MAX_SAFE_INTEGER, limit + 1));
      return pageOf(rows.map(auditRow), limit, ({ id }) => id);
    },

    readAudit: (after) =>
      readPages(after, async (behind, limit) => {
        const rows = await read(() => auditBehind.all(behind, limit));
        await connection.settled();
        return { rows: rows.map(auditRow), last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
      }),
  } satisfies Partial<DeskStore>;
}

/** Reads mails of all kinds (null) or of some, page by page, newest first. */
export function prepareMailPage(connection: SqliteConnection) {
  const lastMail = connection.prepare<[], { last: number | null }>("SELECT max(id) AS last FROM mail");
  return async (kinds: readonly string[] | null, status: MailStatus | undefined, page: PageRequest) => {
    const stopped = status === "failed" || status === "in-doubt";
    const text = `
      SELECT ${mailColumns} FROM mail ${stopped ? "INDEXED BY mail_stopped" : "NOT INDEXED"} ${mailJoins}
      WHERE ${stopped ? "mail.status IN ('failed', 'in-doubt') AND" : ""}
        ${status === undefined ? "" : `mail.status = '${status}' AND`}
        ${kinds === null ? "" : `mail.kind IN (${quoted(kinds)}) AND`}
        mail.id > ? AND mail.id < ? ORDER BY mail.id DESC LIMIT ?`;
    const statement = await read(() => connection.prepare<[number, number, number], ReadMail>(text));
    const readRows = (above: number, below: number, limit: number) => statement.all(above, below, limit);
    return pageBelow(lastMail, page, ({ row }) => row, readRows);
  };
}

/** One page of a table by its row number, newest first. */
async function pageBelow<Row>(
  lastOf: Statement<[], { last: number | null }>,
  page: PageRequest,
  numberOf: (row: Row) => number,
  readRows: (above: number, below: number, limit: number) => Row[],
): Promise<Page<Row>> {
  const last = (await read(() => lastOf.get()))?.last ?? 0;
  const limit = rowsOf(page);
  const { rows: found, stoppedAt } = await searchRanges({
    above: 0,
    below: Math.min(page.after ?? Infinity, last + 1),
    descending: true,
    limit: limit + 1,
    read: (from, to, count) => read(() => readRows(from, to, count)),
  });
  const { rows, next } = pageOf(found, limit, numberOf);
  return { rows, next: next ?? stoppedAt };
}
