// One submission with all that belongs to it, one person, subscribers, mails and the audit log.
import { emailKey } from "@submissions/shared/fields";
import type { Note } from "@submissions/shared/console";
import type { DeskStore, KnownFact } from "../desk-store.ts";
import { pageRows, readPages } from "../pages.ts";
import type { MailStatus } from "../records.ts";
import { type AuditColumns, auditRow, historyEntry, historyMax, personMax } from "../rules/audit.ts";
import { mailKindsOf, pageOf, quoted, rowsOf } from "../rules/inbox-filter.ts";
import {
  detailColumns,
  type DetailRow,
  duplicatesMax,
  inboxRow,
  inboxRowOf,
  listedColumns,
  type ListedRow,
  newestTwins,
  type Twin,
} from "../rules/inbox-row.ts";
import { mailColumns, mailJoins, mailRow, type ReadMail } from "../rules/mail-row.ts";
import type { References } from "../rules/references.ts";
import { readSubmissionAnyway } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import { type DeliveryFact, deliveryFact, factColumns } from "../rules/webhooks.ts";
import type { Connections } from "./connections.ts";
import { prepared, type Statement } from "./statement.ts";
import { hashedInSql } from "./suppression.ts";

const find = prepared<DetailRow>(`SELECT ${detailColumns} FROM submission WHERE day_number = $1 AND kind = $2`);

const mailsOf = prepared<ReadMail>(
  `SELECT ${mailColumns} FROM mail ${mailJoins} WHERE mail.submission = $1 ORDER BY mail.id`,
);

const welcomesOf = prepared<ReadMail>(
  `SELECT ${mailColumns} FROM mail ${mailJoins} WHERE mail.subscriber = $1 ORDER BY mail.created_at, mail.id`,
);

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

const keysOf = (owner: "submission" | "subscriber") =>
  prepared<{ procedure: string; createdAt: number }>(
    `SELECT procedure, created_at AS "createdAt" FROM idempotency WHERE ${owner} = $1`,
  );

const keysOfSubmission = keysOf("submission");
const keysOfSubscriber = keysOf("subscriber");

const deliveriesOf = (owner: "submission" | "subscriber") =>
  prepared<DeliveryFact>(`
    SELECT ${factColumns} FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook
    WHERE removed_at IS NULL AND delivery.${owner} = $1`);

const deliveriesOfSubmission = deliveriesOf("submission");
const deliveriesOfSubscriber = deliveriesOf("subscriber");

// The status is part of the text: only then the planner uses the partial index.
const mailList = (status: MailStatus | undefined, kinds: readonly string[]): Statement<ReadMail> => ({
  text: `SELECT ${mailColumns} FROM mail ${mailJoins}
    WHERE ${status === undefined ? "" : `mail.status = '${status}' AND`} mail.kind IN (${quoted(kinds)}) AND mail.id < $1
    ORDER BY mail.id DESC LIMIT $2`,
});

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
    async findDetail({ kinds }, reference) {
      const named = references.parse(reference);
      if (named === null || !kinds.includes(named.kind)) return null;
      const [row] = await connections.all(find, [named.dayNumber, named.kind]);
      if (row === undefined) return null;
      const { arrival } = row;
      const [mails, notes, history, ofAddress, ofResume] = await Promise.all([
        connections.all(mailsOf, [arrival]),
        connections.all(notesOf, [arrival]),
        connections.all(historyOf, [row.reference]),
        connections.all(sameAddress, [row.email_key, arrival, kinds]),
        row.resume_sha256 === null ? [] : connections.all(sameResume, [row.resume_sha256, arrival, kinds]),
      ]);
      const submission = readSubmissionAnyway(row);
      return {
        row: inboxRowOf(submission, row.disposable === 1),
        submission,
        scan: row.resume_scan,
        mails: mails.map(mailRow),
        notes,
        history: history.map(historyEntry).toReversed(),
        duplicates: newestTwins([...ofAddress, ...ofResume]),
      };
    },

    async findPerson({ kinds, subscribers }, email) {
      const key = emailKey(email);
      const [rows, [row], [suppression]] = await Promise.all([
        connections.all(ofPerson, [key, top, kinds, personMax]),
        subscribers ? connections.all(subscriberOf, [key]) : [],
        connections.all(suppressionOf, [key]),
      ]);
      const subscription = row === undefined ? null : storedSubscriber(row);
      if (rows.length === 0 && subscription === null) return null;
      const submissions = rows.map(inboxRow);
      const shown = submissions[0]?.email ?? subscription?.email ?? email;
      return { email: shown, submissions, subscription, suppressed: suppression?.reason ?? null };
    },

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
      const rows = await connections.all(mailList(status, kinds), [page.after ?? top, limit + 1]);
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

    async *readPerson({ kinds, subscribers }, email) {
      const key = emailKey(email);
      for (let before: number | null = top; before !== null;) {
        const rows: ListedRow[] = await connections.all(ofPerson, [key, before, kinds, pageRows]);
        for (const row of rows) yield* factsOf(connections, row);
        before = rows.length < pageRows ? null : (rows.at(-1)?.arrival ?? null);
      }
      if (subscribers) yield* factsOfSubscriber(connections, key);
      const [suppression] = await connections.all(suppressionOf, [key]);
      if (suppression !== undefined) yield { kind: "suppression", ...suppression };
    },
  }) satisfies Partial<DeskStore>;

async function* factsOf(connections: Connections, row: ListedRow): AsyncGenerator<KnownFact, void, undefined> {
  const { arrival, reference } = row;
  yield { kind: "submission", submission: readSubmissionAnyway(row) };
  for (const note of await connections.all(notesOf, [arrival])) yield { kind: "note", reference, note };
  for (const mail of await connections.all(mailsOf, [arrival])) yield { kind: "mail", mail: mailRow(mail) };
  yield* (await connections.all(deliveriesOfSubmission, [arrival])).map(deliveryFact);
  for (const one of await connections.all(keysOfSubmission, [arrival])) yield { kind: "idempotency", ...one };
}

async function* factsOfSubscriber(connections: Connections, key: string): AsyncGenerator<KnownFact, void, undefined> {
  const [subscriber] = await connections.all(subscriberOf, [key]);
  if (subscriber === undefined) return;
  yield { kind: "subscription", subscriber: storedSubscriber(subscriber) };
  for (const mail of await connections.all(welcomesOf, [key])) yield { kind: "mail", mail: mailRow(mail) };
  yield* (await connections.all(deliveriesOfSubscriber, [key])).map(deliveryFact);
  for (const one of await connections.all(keysOfSubscriber, [key])) yield { kind: "idempotency", ...one };
}
