// One submission with all that belongs to it, one person, subscribers, mails and the audit log.
import type { AuditRow, MailRow, Note, Page, PageRequest, SubscriberFilter } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import type { DeskDetail, KnownFact, Scope, StoredPerson } from "../desk-store.ts";
import { pageRows, readPages } from "../pages.ts";
import type { MailStatus, ScanState, StoredSubscriber } from "../records.ts";
import { type AuditColumns, auditRow, duplicatesMax, historyEntry, historyMax, personMax } from "../rules/audit.ts";
import { mailKindsOf, quoted, rowsOf } from "../rules/inbox-filter.ts";
import { inboxRow, inboxRowOf, listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import { mailColumns, mailJoins, mailRow, type ReadMail } from "../rules/mail-row.ts";
import type { References } from "../rules/references.ts";
import { newestTwins, type Twin } from "../rules/twins.ts";
import { readSubmissionAnyway } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import { type DeliveryFact, deliveryFact, factColumns } from "../rules/webhooks.ts";
import type { Connections } from "./connections.ts";
import type { Statement } from "./session.ts";
import { hashedInSql } from "./suppressed.ts";

interface DetailRow extends ListedRow {
  readonly resume_scan: ScanState | null;
  readonly resume_sha256: string | null;
  readonly email_key: string;
}

const find: Statement<DetailRow> = {
  name: "find-detail",
  text: `SELECT ${listedColumns}, resume_scan, resume_sha256, email_key FROM submission WHERE day_number = $1 AND kind = $2`,
};

const mailsOf: Statement<ReadMail> = {
  name: "mails-of-submission",
  text: `SELECT ${mailColumns} FROM mail ${mailJoins} WHERE mail.submission = $1 ORDER BY mail.id`,
};

const welcomesOf: Statement<ReadMail> = {
  name: "mails-of-subscriber",
  text: `SELECT ${mailColumns} FROM mail ${mailJoins} WHERE mail.subscriber = $1 ORDER BY mail.created_at, mail.id`,
};

const notesOf: Statement<Note> = {
  name: "notes-of-submission",
  text: "SELECT id, author, at, text FROM note WHERE submission = $1 ORDER BY id",
};

const historyOf: Statement<AuditColumns> = {
  name: "history-of-submission",
  text: `SELECT id, at, operator, action, subject, detail FROM audit WHERE subject = $1 ORDER BY id DESC LIMIT ${historyMax}`,
};

const same = (column: "email_key" | "resume_sha256"): Statement<Twin> => ({
  name: `same-${column}`,
  text: `SELECT arrival, reference, kind, received_at AS "receivedAt", status FROM submission
    WHERE ${column} = $1 AND arrival <> $2 AND kind = ANY ($3::text[]) ORDER BY arrival DESC LIMIT ${duplicatesMax}`,
});

const sameAddress = same("email_key");
const sameResume = same("resume_sha256");

const ofPerson: Statement<ListedRow> = {
  name: "submissions-of-person",
  text: `SELECT ${listedColumns} FROM submission
    WHERE email_key = $1 AND arrival < $2 AND kind = ANY ($3::text[]) ORDER BY arrival DESC LIMIT $4`,
};

const subscriberOf: Statement<SubscriberRow> = {
  name: "subscriber-of-person",
  text: `SELECT ${subscriberColumns} FROM subscriber WHERE email_key = $1`,
};

const suppressionOf: Statement<{ reason: string | null; at: number }> = {
  name: "suppression-of-person",
  text: `SELECT reason, changed_at AS at FROM suppression WHERE email_key IN ($1, ${hashedInSql("$1")})`,
};

const keysOf = (owner: "submission" | "subscriber"): Statement<{ procedure: string; createdAt: number }> => ({
  name: `keys-of-${owner}`,
  text: `SELECT procedure, created_at AS "createdAt" FROM idempotency WHERE ${owner} = $1`,
});

const keysOfSubmission = keysOf("submission");
const keysOfSubscriber = keysOf("subscriber");

const deliveriesOf = (owner: "submission" | "subscriber"): Statement<DeliveryFact> => ({
  name: `deliveries-of-${owner}`,
  text: `
    SELECT ${factColumns} FROM webhook_delivery AS delivery JOIN webhook ON webhook.id = delivery.webhook
    WHERE removed_at IS NULL AND delivery.${owner} = $1`,
});

const deliveriesOfSubmission = deliveriesOf("submission");
const deliveriesOfSubscriber = deliveriesOf("subscriber");

// The status is part of the text: only then the planner uses the partial index.
const mailList = (status: MailStatus | undefined, kinds: readonly string[]): Statement<ReadMail> => ({
  text: `SELECT ${mailColumns} FROM mail ${mailJoins}
    WHERE ${status === undefined ? "" : `mail.status = '${status}' AND`} mail.kind IN (${quoted(kinds)}) AND mail.id < $1
    ORDER BY mail.id DESC LIMIT $2`,
});

const auditBefore: Statement<AuditColumns> = {
  name: "audit-before",
  text: "SELECT id, at, operator, action, subject, detail FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2",
};

const auditBehind: Statement<AuditColumns> = {
  name: "audit-behind",
  text: "SELECT id, at, operator, action, subject, detail FROM audit WHERE id > $1 ORDER BY id LIMIT $2",
};

/** Where a list begins that is read downwards. */
const top = Number.MAX_SAFE_INTEGER;

export class DeskReading {
  readonly #connections: Connections;
  readonly #references: References;

  constructor(connections: Connections, references: References) {
    this.#connections = connections;
    this.#references = references;
  }

  async findRow({ kinds }: Scope, reference: string): Promise<DetailRow | null> {
    const named = this.#references.parse(reference);
    if (named === null || !kinds.includes(named.kind)) return null;
    const [row] = await this.#connections.all(find, [named.dayNumber, named.kind]);
    return row ?? null;
  }

  async find(scope: Scope, reference: string): Promise<DeskDetail | null> {
    const row = await this.findRow(scope, reference);
    if (row === null) return null;
    const { arrival } = row;
    const connections = this.#connections;
    const [mails, notes, history, ofAddress, ofResume] = await Promise.all([
      connections.all(mailsOf, [arrival]),
      connections.all(notesOf, [arrival]),
      connections.all(historyOf, [row.reference]),
      connections.all(sameAddress, [row.email_key, arrival, scope.kinds]),
      row.resume_sha256 === null ? [] : connections.all(sameResume, [row.resume_sha256, arrival, scope.kinds]),
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
  }

  async person({ kinds, subscribers }: Scope, email: string): Promise<StoredPerson | null> {
    const key = emailKey(email);
    const [rows, found, suppression] = await Promise.all([
      this.#connections.all(ofPerson, [key, top, kinds, personMax]),
      subscribers ? this.#connections.all(subscriberOf, [key]) : [],
      this.#connections.all(suppressionOf, [key]),
    ]);
    const [row] = found;
    const subscription = row === undefined ? null : storedSubscriber(row);
    if (rows.length === 0 && subscription === null) return null;
    const submissions = rows.map(inboxRow);
    const shown = submissions[0]?.email ?? subscription?.email ?? email;
    return { email: shown, submissions, subscription, suppressed: suppression[0]?.reason ?? null };
  }

  async subscribers({ status, search }: SubscriberFilter, page: PageRequest): Promise<Page<StoredSubscriber>> {
    const limit = rowsOf(page);
    const values: unknown[] = [page.after ?? top, limit + 1];
    const wheres = ["arrival < $1"];
    if (status !== undefined) wheres.push(`status = $${values.push(status)}`);
    if (search !== undefined && search !== "")
      wheres.push(`position($${values.push(emailKey(search))} IN email_key) > 0`);
    const text = `SELECT ${subscriberColumns} FROM subscriber WHERE ${wheres.join(" AND ")} ORDER BY arrival DESC LIMIT $2`;
    const rows = (await this.#connections.all<SubscriberRow>({ text }, values)).map(storedSubscriber);
    return pageOf(rows, limit, ({ arrival }) => arrival);
  }

  async mails(scope: Scope, status: MailStatus | undefined, page: PageRequest): Promise<Page<MailRow>> {
    const kinds = mailKindsOf(scope);
    if (kinds.length === 0) return { rows: [], next: null };
    const limit = rowsOf(page);
    const rows = await this.#connections.all(mailList(status, kinds), [page.after ?? top, limit + 1]);
    const found = pageOf(rows, limit, ({ row }) => row);
    return { ...found, rows: found.rows.map(mailRow) };
  }

  async auditPage(page: PageRequest): Promise<Page<AuditRow>> {
    const limit = rowsOf(page);
    const rows = await this.#connections.all(auditBefore, [page.after ?? top, limit + 1]);
    return pageOf(rows.map(auditRow), limit, ({ id }) => id);
  }

  audit(after: number): AsyncIterable<AuditRow> {
    return readPages(after, async (behind, limit) => {
      const rows = await this.#connections.all(auditBehind, [behind, limit]);
      return { rows: rows.map(auditRow), last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
    });
  }

  async *facts({ kinds, subscribers }: Scope, email: string): AsyncGenerator<KnownFact, void, undefined> {
    const key = emailKey(email);
    for (let before: number | null = top; before !== null;) {
      const rows: ListedRow[] = await this.#connections.all(ofPerson, [key, before, kinds, pageRows]);
      for (const row of rows) yield* this.#factsOf(row);
      before = rows.length < pageRows ? null : (rows.at(-1)?.arrival ?? null);
    }
    if (subscribers) yield* this.#factsOfSubscriber(key);
    const [suppression] = await this.#connections.all(suppressionOf, [key]);
    if (suppression !== undefined) yield { kind: "suppression", ...suppression };
  }

  async *#factsOf(row: ListedRow): AsyncGenerator<KnownFact, void, undefined> {
    const { arrival, reference } = row;
    yield { kind: "submission", submission: readSubmissionAnyway(row) };
    for (const note of await this.#connections.all(notesOf, [arrival])) yield { kind: "note", reference, note };
    for (const mail of await this.#connections.all(mailsOf, [arrival])) yield { kind: "mail", mail: mailRow(mail) };
    yield* (await this.#connections.all(deliveriesOfSubmission, [arrival])).map(deliveryFact);
    for (const one of await this.#connections.all(keysOfSubmission, [arrival])) yield { kind: "idempotency", ...one };
  }

  async *#factsOfSubscriber(key: string): AsyncGenerator<KnownFact, void, undefined> {
    const [subscriber] = await this.#connections.all(subscriberOf, [key]);
    if (subscriber === undefined) return;
    yield { kind: "subscription", subscriber: storedSubscriber(subscriber) };
    for (const mail of await this.#connections.all(welcomesOf, [key])) yield { kind: "mail", mail: mailRow(mail) };
    yield* (await this.#connections.all(deliveriesOfSubscriber, [key])).map(deliveryFact);
    for (const one of await this.#connections.all(keysOfSubscriber, [key])) yield { kind: "idempotency", ...one };
  }
}

function pageOf<Row>(rows: readonly Row[], limit: number, numberOf: (row: Row) => number): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > limit && last !== undefined ? numberOf(last) : null };
}
