// One submission with all that belongs to it, one person, subscribers, mails and the audit log.
import { emailKey } from "@submissions/shared/fields";
import type { Note } from "@submissions/shared/console";
import type { DeskStore } from "../desk-store.ts";
import { readPages } from "../pages.ts";
import { type AuditColumns, auditRow, historyMax } from "../rules/audit.ts";
import { makeBelongings, ownerColumn, type UsedKey } from "../rules/belongings.ts";
import { mailKindsOf, pageOf, rowsOf } from "../rules/inbox-filter.ts";
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
import type { Connections } from "./connections.ts";
import { mailsBelow } from "./outbox.ts";
import { prepared } from "./statement.ts";
import { hashedInSql } from "./suppression.ts";

const find = prepared<DetailRow>(`SELECT ${detailColumns} FROM submission WHERE day_number = $1 AND kind = $2`);

const mails = (condition: string) =>
  prepared<ReadMail>(`SELECT ${mailColumns} FROM mail ${mailJoins} WHERE ${condition}`);
const mailsOf = {
  submission: mails("mail.submission = $1 ORDER BY mail.id"),
  subscriber: mails("mail.subscriber = $1 ORDER BY mail.created_at, mail.id"),
};

const notesOf = prepared<Note>("SELECT id, author, at, text FROM note WHERE submission = $1 ORDER BY id");

const historyOf = prepared<AuditColumns>(
  `SELECT id, at, operator, action, subject, detail FROM audit WHERE subject = $1 ORDER BY id DESC LIMIT ${historyMax}`,
);

const same = (column: "email_key" | "resume_sha256") =>
  prepared<Twin>(`
    SELECT arrival, reference, kind, received_at AS "receivedAt", status FROM submission
    WHERE ${column} = $1 AND arrival <> $2 AND kind = ANY ($3::text[]) ORDER BY arrival DESC LIMIT ${duplicatesMax}`);

const sameAddress = same("email_key");
const sameResume = same("resume_sha256");

const ofPerson = prepared<ListedRow>(`
  SELECT ${listedColumns} FROM submission
  WHERE email_key = $1 AND arrival < $2 AND kind = ANY ($3::text[]) ORDER BY arrival DESC LIMIT $4`);

const subscriberOf = prepared<SubscriberRow>(`SELECT ${subscriberColumns} FROM subscriber WHERE email_key = $1`);

const suppressionOf = prepared<{ reason: string | null; at: number }>(
  `SELECT reason, changed_at AS at FROM suppression WHERE email_key IN ($1, ${hashedInSql("$1")})`,
);

const keys = (owner: "submission" | "subscriber") =>
  prepared<UsedKey>(`SELECT procedure, created_at AS "createdAt" FROM idempotency WHERE ${owner} = $1`);
const keysOf = { submission: keys("submission"), subscriber: keys("subscriber") };

const deliveries = (owner: "submission" | "subscriber") =>
  prepared<DeliveryFact>(`
    SELECT ${factColumns} FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook
    WHERE removed_at IS NULL AND delivery.${owner} = $1`);
const deliveriesOf = { submission: deliveries("submission"), subscriber: deliveries("subscriber") };

const auditBefore = prepared<AuditColumns>(
  "SELECT id, at, operator, action, subject, detail FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2",
);

const auditBehind = prepared<AuditColumns>(
  "SELECT id, at, operator, action, subject, detail FROM audit WHERE id > $1 ORDER BY id LIMIT $2",
);

/** Where a list begins that is read downwards. */
const top = Number.MAX_SAFE_INTEGER;

export const makeDeskReading = (connections: Connections, references: References) =>
  ({
    ...makeBelongings(references, {
      find: async ({ dayNumber, kind }) => (await connections.all(find, [dayNumber, kind]))[0],
      submissionsOf: (key, below, kinds, limit) => connections.all(ofPerson, [key, below, kinds, limit]),
      subscriberOf: async (key) => (await connections.all(subscriberOf, [key]))[0],
      suppressionOf: async (key) => (await connections.all(suppressionOf, [key]))[0],
      sameAddress: (key, arrival, kinds) => connections.all(sameAddress, [key, arrival, kinds]),
      sameResume: (sha256, arrival, kinds) => connections.all(sameResume, [sha256, arrival, kinds]),
      historyOf: (reference) => connections.all(historyOf, [reference]),
      notesOf: (arrival) => connections.all(notesOf, [arrival]),
      mailsOf: (owner) => connections.all(mailsOf[ownerColumn(owner)], [owner]),
      deliveriesOf: (owner) => connections.all(deliveriesOf[ownerColumn(owner)], [owner]),
      keysOf: (owner) => connections.all(keysOf[ownerColumn(owner)], [owner]),
    }),

    async listSubscribers({ status, search }, page) {
      const limit = rowsOf(page);
      const values: unknown[] = [page.after ?? top, limit + 1];
      const wheres = ["arrival < $1"];
      if (status !== undefined) wheres.push(`status = $${values.push(status)}`);
      if (search !== undefined && search !== "")
        wheres.push(`position($${values.push(emailKey(search))} IN email_key) > 0`);
      const text = `SELECT ${subscriberColumns} FROM subscriber WHERE ${wheres.join(" AND ")} ORDER BY arrival DESC LIMIT $2`;
      const rows = await connections.all<SubscriberRow>({ text }, values);
      return pageOf(rows.map(storedSubscriber), limit, ({ arrival }) => arrival);
    },

    async listMails(scope, status, page) {
      const kinds = mailKindsOf(scope);
      if (kinds.length === 0) return { rows: [], next: null };
      const limit = rowsOf(page);
      const rows = await connections.all(mailsBelow(status), [kinds, page.after ?? top, limit + 1]);
      const found = pageOf(rows, limit, ({ row }) => row);
      return { ...found, rows: found.rows.map(mailRow) };
    },

    async listAudit(page) {
      const limit = rowsOf(page);
      const rows = await connections.all(auditBefore, [page.after ?? top, limit + 1]);
      return pageOf(rows.map(auditRow), limit, ({ id }) => id);
    },

    readAudit: (after) =>
      readPages(after, async (behind, limit) => {
        const rows = await connections.all(auditBehind, [behind, limit]);
        return { rows: rows.map(auditRow), last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
      }),
  }) satisfies Partial<DeskStore>;
