// One submission with all that belongs to it, one person, subscribers, mails and the audit log.
import type {
  AuditRow,
  InboxRow,
  MailRow,
  Note,
  Page,
  PageRequest,
  SubscriberFilter,
} from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import type { SQLInputValue } from "node:sqlite";
import type { DeskDetail, KnownFact, Scope, StoredPerson } from "../desk-store.ts";
import { type Page as Batch, pageRows, readPages } from "../pages.ts";
import { searchRanges } from "../ranges.ts";
import type { MailStatus, ScanState, StoredSubscriber, SubmissionKind } from "../records.ts";
import { type AuditColumns, auditRow, duplicatesMax, historyEntry, historyMax, personMax } from "../rules/audit.ts";
import { hashedKey } from "../rules/erasing.ts";
import { mailKindsOf, quoted, rowsOf } from "../rules/inbox-filter.ts";
import { inboxRow, inboxRowOf, listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import { mailColumns, mailJoins, mailRow, type ReadMail } from "../rules/mail-row.ts";
import { newestTwins, type Twin } from "../rules/twins.ts";
import type { References } from "../rules/references.ts";
import { readSubmissionAnyway } from "../rules/submission-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import { type DeliveryFact, deliveryFact, factColumns } from "../rules/webhooks.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection, Statement } from "./connection.ts";

interface DetailRow extends ListedRow {
  readonly resume_scan: ScanState | null;
  readonly resume_sha256: string | null;
  readonly email_key: string;
}

const read = <T>(work: () => T): Promise<T> => retryWhileBusy(work);

export type DeskReading = ReturnType<typeof prepareDeskReading>;

export function prepareDeskReading(connection: SqliteConnection, references: References) {
  const find = connection.prepare<[number, SubmissionKind], DetailRow>(`
    SELECT ${listedColumns}, resume_scan, resume_sha256, email_key FROM submission WHERE day_number = ? AND kind = ?`);
  const mailsOf = connection.prepare<[number], ReadMail>(
    `SELECT ${mailColumns} FROM mail ${mailJoins} WHERE mail.submission = ? ORDER BY mail.id`,
  );
  const welcomesOf = connection.prepare<[string], ReadMail>(
    `SELECT ${mailColumns} FROM mail ${mailJoins} WHERE mail.subscriber = ? ORDER BY mail.created_at`,
  );
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
  const deliveries = `SELECT ${factColumns} FROM webhook_delivery AS delivery
    JOIN webhook ON webhook.id = delivery.webhook WHERE webhook.removed_at IS NULL`;
  const deliveriesOf = connection.prepare<[number], DeliveryFact>(`${deliveries} AND delivery.submission = ?`);
  const deliveriesOfSubscriber = connection.prepare<[string], DeliveryFact>(
    `${deliveries} AND delivery.subscriber = ?`,
  );
  const keysOf = connection.prepare<[number], { procedure: string; createdAt: number }>(
    "SELECT procedure, created_at AS createdAt FROM idempotency WHERE submission = ?",
  );
  const keysOfSubscriber = connection.prepare<[string], { procedure: string; createdAt: number }>(
    "SELECT procedure, created_at AS createdAt FROM idempotency WHERE subscriber = ?",
  );
  const lastSubscriber = connection.prepare<[], { last: number | null }>("SELECT max(arrival) AS last FROM subscriber");
  const lastMail = connection.prepare<[], { last: number | null }>("SELECT max(id) AS last FROM mail");
  const auditBefore = connection.prepare<[number, number], AuditColumns>(
    "SELECT id, at, operator, action, subject, detail FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?",
  );
  const auditBehind = connection.prepare<[number, number], AuditColumns>(
    "SELECT id, at, operator, action, subject, detail FROM audit WHERE id > ? ORDER BY id LIMIT ?",
  );
  const statements = new Map<string, Statement<SQLInputValue[], unknown>>();

  function prepared<Row>(text: string): Statement<SQLInputValue[], Row> {
    const found = statements.get(text) ?? connection.prepare<SQLInputValue[], unknown>(text);
    statements.set(text, found);
    return found as Statement<SQLInputValue[], Row>;
  }

  function findRow({ kinds }: Scope, reference: string): DetailRow | null {
    const named = references.parse(reference);
    return named === null || !kinds.includes(named.kind) ? null : (find.get(named.dayNumber, named.kind) ?? null);
  }

  function detailOf(scope: Scope, reference: string): DeskDetail | null {
    const row = findRow(scope, reference);
    if (row === null) return null;
    const submission = readSubmissionAnyway(row);
    const kinds = JSON.stringify(scope.kinds);
    const twins = [
      ...sameAddress.all(row.email_key, row.arrival, kinds),
      ...(row.resume_sha256 === null ? [] : sameResume.all(row.resume_sha256, row.arrival, kinds)),
    ];
    return {
      row: inboxRowOf(submission, row.disposable === 1),
      submission,
      scan: row.resume_scan,
      mails: mailsOf.all(row.arrival).map(mailRow),
      notes: notesOf.all(row.arrival).map((note) => ({ ...note })),
      history: historyOf.all(row.reference).map(historyEntry).toReversed(),
      duplicates: newestTwins(twins),
    };
  }

  /** One page of a table by its row number, newest first. */
  async function pageBelow<Row>(
    last: number,
    page: PageRequest,
    numberOf: (row: Row) => number,
    readRows: (above: number, below: number, limit: number) => Row[],
  ): Promise<Page<Row>> {
    const limit = rowsOf(page);
    const below = Math.min(page.after ?? Infinity, last + 1);
    const { rows, stoppedAt } = await searchRanges({
      above: 0,
      below,
      descending: true,
      limit: limit + 1,
      read: (from, to, count) => read(() => readRows(from, to, count)),
    });
    const shown = rows.slice(0, limit);
    const lastShown = shown.at(-1);
    const hasMore = rows.length > limit && lastShown !== undefined;
    return { rows: shown, next: hasMore ? numberOf(lastShown) : stoppedAt };
  }

  const suppressed = (key: string) => suppressionOf.get(key, hashedKey(key));

  return {
    findRow,
    find: (scope: Scope, reference: string): Promise<DeskDetail | null> => read(() => detailOf(scope, reference)),

    person({ kinds, subscribers }: Scope, email: string): Promise<StoredPerson | null> {
      const key = emailKey(email);
      return read(() => {
        const rows: InboxRow[] = ofPerson
          .all(key, Number.MAX_SAFE_INTEGER, JSON.stringify(kinds), personMax)
          .map(inboxRow);
        const found = subscribers ? subscriberOf.get(key) : undefined;
        if (rows.length === 0 && found === undefined) return null;
        return {
          email: rows[0]?.email ?? found?.email ?? email,
          submissions: rows,
          subscription: found === undefined ? null : storedSubscriber(found),
          suppressed: suppressed(key)?.reason ?? null,
        };
      });
    },

    async subscribers({ status, search }: SubscriberFilter, page: PageRequest): Promise<Page<StoredSubscriber>> {
      const wheres = ["arrival > ?", "arrival < ?"];
      const values: string[] = [];
      if (search !== undefined && search !== "") {
        wheres.unshift("instr(email_key, ?) > 0");
        values.push(emailKey(search));
      }
      if (status !== undefined) {
        wheres.unshift("status = ?");
        values.unshift(status);
      }
      const statement = prepared<SubscriberRow>(`
        SELECT ${subscriberColumns} FROM subscriber ${status === undefined ? "NOT INDEXED" : "INDEXED BY subscriber_status"}
        WHERE ${wheres.join(" AND ")} ORDER BY arrival DESC LIMIT ?`);
      const last = (await read(() => lastSubscriber.get()))?.last ?? 0;
      return pageBelow(
        last,
        page,
        ({ arrival }) => arrival,
        (above, below, limit) => statement.all(...values, above, below, limit).map(storedSubscriber),
      );
    },

    async mails(scope: Scope, status: MailStatus | undefined, page: PageRequest): Promise<Page<MailRow>> {
      const kinds = mailKindsOf(scope);
      if (kinds.length === 0) return { rows: [], next: null };
      const stopped = status === "failed" || status === "in-doubt";
      const statement = prepared<ReadMail>(`
        SELECT ${mailColumns} FROM mail ${stopped ? "INDEXED BY mail_stopped" : "NOT INDEXED"} ${mailJoins}
        WHERE ${stopped ? "mail.status IN ('failed', 'in-doubt') AND" : ""}
          ${status === undefined ? "" : `mail.status = '${status}' AND`}
          mail.kind IN (${quoted(kinds)}) AND mail.id > ? AND mail.id < ? ORDER BY mail.id DESC LIMIT ?`);
      const last = (await read(() => lastMail.get()))?.last ?? 0;
      const found = await pageBelow<ReadMail>(
        last,
        page,
        ({ row }) => row,
        (above, below, limit) => statement.all(above, below, limit),
      );
      return { ...found, rows: found.rows.map(mailRow) };
    },

    async auditPage(page: PageRequest): Promise<Page<AuditRow>> {
      const limit = rowsOf(page);
      const rows = await read(() => auditBefore.all(page.after ?? Number.MAX_SAFE_INTEGER, limit + 1));
      const shown = rows.slice(0, limit).map(auditRow);
      return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
    },

    audit: (after: number): AsyncIterable<AuditRow> =>
      readPages(after, (behind, limit) =>
        read((): Batch<AuditRow> => {
          const rows = auditBehind.all(behind, limit).map(auditRow);
          return { rows, last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
        }),
      ),

    async *facts({ kinds, subscribers }: Scope, email: string): AsyncGenerator<KnownFact, void, undefined> {
      const key = emailKey(email);
      const wanted = JSON.stringify(kinds);
      for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
        const below: number = before;
        const rows = await read(() => ofPerson.all(key, below, wanted, pageRows));
        for (const row of rows) yield* await read(() => factsOf(row));
        before = rows.length < pageRows ? null : (rows.at(-1)?.arrival ?? null);
      }
      if (subscribers) yield* await read(() => factsOfSubscriber(key));
      const found = await read(() => suppressed(key));
      if (found !== undefined) yield { kind: "suppression", reason: found.reason, at: found.at };
    },
  };

  function factsOf(row: ListedRow): KnownFact[] {
    const { arrival, reference } = row;
    return [
      { kind: "submission", submission: readSubmissionAnyway(row) },
      ...notesOf.all(arrival).map((note): KnownFact => ({ kind: "note", reference, note: { ...note } })),
      ...mailsOf.all(arrival).map((mail): KnownFact => ({ kind: "mail", mail: mailRow(mail) })),
      ...deliveriesOf.all(arrival).map(deliveryFact),
      ...keysOf.all(arrival).map((one): KnownFact => ({ kind: "idempotency", ...one })),
    ];
  }

  function factsOfSubscriber(key: string): KnownFact[] {
    const found = subscriberOf.get(key);
    if (found === undefined) return [];
    return [
      { kind: "subscription", subscriber: storedSubscriber(found) },
      ...welcomesOf.all(key).map((mail): KnownFact => ({ kind: "mail", mail: mailRow(mail) })),
      ...deliveriesOfSubscriber.all(key).map(deliveryFact),
      ...keysOfSubscriber.all(key).map((one): KnownFact => ({ kind: "idempotency", ...one })),
    ];
  }
}
