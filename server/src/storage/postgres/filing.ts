// Inquiries and applications as rows: the part of a statement that stores them with their mails, its parameters and its
// answer.
import { emailKey } from "@submissions/shared/fields";
import { referenceDay } from "@submissions/shared/reference";
import type { LeasedMail, MailKind, SubmissionKind, SubmissionRecord } from "../records.ts";
import { justStored } from "../rules/leased-mail.ts";
import { capMs, mailsOf, receiptsMax } from "../rules/mails.ts";
import { dayNumber, type References } from "../rules/references.ts";
import { fieldsOf, filed, resumeKeyOf } from "../rules/submission-row.ts";
import { type Acceptance, type Entry, StorageUnavailable } from "../store.ts";
import { type Bound, preparedArrays, rowsAs, type RowOf, valuesOf } from "./statement.ts";
import { lockReceipts, suppressedInSql } from "./addresses.ts";
import type { DayNumbers } from "./day-numbers.ts";
import { type Session, withId } from "./session.ts";
import { announcing } from "./announcements.ts";

/** A submission that is to be stored. */
export interface Filing {
  readonly entry: Entry;
  readonly record: SubmissionRecord;
  /** When it came in: yyyymmdd. */
  readonly day: number;
  /**
   * Null until it is drawn. It stays through all tries, unless another submission has it: a second row with the same
   * number cannot be stored.
   */
  drawn: Drawn | null;
}

/** What a submission is known by. */
interface Drawn {
  readonly counter: number;
  readonly dayNumber: number;
  readonly reference: string;
  /** By what a statement knows it again; see {@link numberInSql}. */
  readonly number: number;
}

export const newFiling = (entry: Entry, record: SubmissionRecord): Filing => ({
  entry,
  record,
  day: referenceDay(record.receivedAt),
  drawn: null,
});

export function drawnOf({ drawn }: Filing): Drawn {
  if (drawn === null) throw new Error("A submission has no number of its day.");
  return drawn;
}

/** A row of the answer: of a submission, its arrival and its number; of a mail, its row and its submission; of a settlement, its row. */
export type StoredRow = readonly [id: number, of: number, kind: SubmissionKind | MailKind | "settled"];

/** What one submission is stored from. */
const filingColumns = {
  kind: "text",
  day_number: "bigint",
  reference: "text",
  received_at: "bigint",
  name: "text",
  email: "text",
  email_key: "text",
  status: "text",
  // How many in the same statement come before it that want a receipt to the same address.
  receipts_before: "integer",
  resume_key: "text",
  door: "text",
  request_id: "text",
  fields: "text",
  number: "bigint",
  lease_owner: "text",
  lease_until: "bigint",
} as const;

const names = Object.keys(filingColumns);

/** How many parameters filings take. */
export const filingParameters = names.length;
/** The parameter of a column. */
const parameter = (column: keyof typeof filingColumns) => `$${names.indexOf(column) + 1}`;

// Two kinds may have the same number of a day.
const numberInSql = "day_number * 2 + CASE kind WHEN 'application' THEN 1 ELSE 0 END";

/**
 * The part that stores submissions with their mails. Scalar sub-selects instead of EXISTS: the planner cannot make a scan
 * of them. OFFSET 0 keeps the planner from searching a place again for each column that uses it.
 */
export const filingParts = `
  ${withId},
  stored AS (
    INSERT INTO submission (kind, day_number, reference, received_at, name, email, email_key, status, receipt_at,
      resume_key, resume_scan, door, request_id, fields)
    SELECT new.kind, day_number, reference, received_at, name, email, email_key, status,
      CASE WHEN status = 'new' AND NOT ${suppressedInSql("new.email_key")}
        AND receipts_before + (SELECT count(*) FROM (
          SELECT FROM submission AS earlier WHERE earlier.email_key = new.email_key
            AND earlier.receipt_at > new.received_at - ${capMs} LIMIT ${receiptsMax}) AS receipts) < ${receiptsMax}
      THEN received_at END,
      resume_key, CASE WHEN resume_key IS NOT NULL THEN 'unscanned' END, door, request_id, fields
    FROM begun, ${rowsAs("new", filingColumns)}
    RETURNING arrival, kind, received_at, receipt_at, status, ${numberInSql} AS number
  ),
  mails AS (
    INSERT INTO mail (kind, submission, status, created_at, due_at, lease_owner, lease_until)
    SELECT stored.kind || suffix, arrival, 'queued', received_at, received_at,
      (${parameter("lease_owner")}::text[])[place], (${parameter("lease_until")}::bigint[])[place]
    FROM stored, LATERAL (SELECT array_position(${parameter("number")}::bigint[], number) OFFSET 0) AS place (place),
      (VALUES ('-receipt'), ('-notice')) AS suffix (suffix)
    WHERE status = 'new' AND (receipt_at IS NOT NULL OR suffix = '-notice')
    RETURNING id, submission, kind
  ),
  ${announcing("stored", "stored.received_at", "stored.status = 'new'")}`;

export const filingAnswer = `
  SELECT arrival, number, kind FROM stored UNION ALL SELECT id, submission, kind FROM mails`;

/** Submissions that are stored, as the statement that stored them answered. */
const findStored = preparedArrays<StoredRow>(`
  WITH stored AS MATERIALIZED (
    SELECT arrival, ${numberInSql} AS number, kind FROM submission
    JOIN unnest($1::text[], $2::bigint[], $3::text[]) AS wanted (kind, day_number, request_id)
      USING (kind, day_number, request_id)
  ),
  mails AS (SELECT mail.id, mail.submission, mail.kind FROM stored JOIN mail ON mail.submission = stored.arrival)
  ${filingAnswer}`);

export class Filings {
  readonly #references: References;
  readonly #numbers: DayNumbers;

  constructor(references: References, numbers: DayNumbers) {
    this.#references = references;
    this.#numbers = numbers;
  }

  /** Draws the counters that filings still need. Those for which none is left stay without. */
  async draw(filings: readonly Filing[]): Promise<void> {
    const without = filings.filter(({ drawn }) => drawn === null);
    for (const group of Map.groupBy(without, ({ record, day }) => `${record.kind} ${day}`).values()) {
      const { record, day } = group[0] as Filing;
      const counters = await this.#numbers.take(record.kind, day, group.length);
      for (const [index, counter] of counters.entries())
        (group[index] as Filing).drawn = this.#drawn(record.kind, day, counter);
    }
  }

  /**
   * Draws other counters: another submission has one of them.
   *
   * @throws StorageUnavailable when none is left
   */
  async drawAnew(filings: readonly Filing[]): Promise<void> {
    for (const filing of filings) {
      this.#numbers.forget(filing.record.kind, filing.day);
      filing.drawn = null;
    }
    await this.draw(filings);
    if (filings.some(({ drawn }) => drawn === null)) {
      throw new StorageUnavailable("The references of the day are used up.");
    }
  }

  #drawn(kind: SubmissionKind, day: number, counter: number): Drawn {
    const ofDay = dayNumber(day, counter);
    const reference = this.#references.format(kind, day, counter);
    return { counter, dayNumber: ofDay, reference, number: ofDay * 2 + Number(kind === "application") };
  }

  /** Gives back the counter of a filing that was refused. */
  giveBack(filing: Filing): void {
    if (filing.drawn !== null) this.#numbers.giveBack(filing.record.kind, filing.day, filing.drawn.counter);
    filing.drawn = null;
  }

  /** The parameters of filings that have their counters. */
  valuesOf(filings: readonly Filing[]): unknown[] {
    const receipts = new Map<string, number>();
    const rows = filings.map((filing): RowOf<typeof filingColumns> => {
      const { record, entry } = filing;
      const { dayNumber: ofDay, reference, number } = drawnOf(filing);
      const key = emailKey(record.email);
      const before = receipts.get(key) ?? 0;
      if (!entry.spam) receipts.set(key, before + 1);
      return {
        kind: record.kind,
        day_number: ofDay,
        reference,
        received_at: record.receivedAt,
        name: record.name,
        email: record.email,
        email_key: key,
        status: entry.spam ? "spam" : "new",
        receipts_before: before,
        resume_key: resumeKeyOf(record),
        door: record.door,
        request_id: record.requestId,
        fields: fieldsOf(record),
        number,
        lease_owner: entry.lease.owner,
        lease_until: entry.lease.until,
      };
    });
    return valuesOf(filingColumns, rows);
  }

  /** Which of the filings are stored; null when none is. All of one transaction are, or none. */
  async findIn(session: Session, filings: readonly Filing[]): Promise<StoredRow[] | null> {
    const rows = await session.all(findStored, [
      filings.map(({ record }) => record.kind),
      filings.map((filing) => drawnOf(filing).dayNumber),
      filings.map(({ record }) => record.requestId),
    ]);
    return rows.length === 0 ? null : rows;
  }

  /** What became of filings, all of which are stored. */
  answersOf(filings: readonly Filing[], rows: readonly StoredRow[]): Map<Filing, Acceptance> {
    const arrivals = new Map<number, number>();
    const mails = new Map<number, StoredRow[]>();
    for (const row of rows) {
      const [id, of, kind] = row;
      if (kind === "inquiry" || kind === "application") arrivals.set(of, id);
      else if (mails.get(of)?.push(row) === undefined) mails.set(of, [row]);
    }
    const answers = new Map<Filing, Acceptance>();
    for (const filing of filings) {
      const arrival = arrivals.get(drawnOf(filing).number);
      if (arrival === undefined) throw new Error("A submission that was stored is missing in the answer.");
      answers.set(filing, acceptanceOf(filing, arrival, mails.get(arrival) ?? []));
    }
    return answers;
  }
}

function acceptanceOf(filing: Filing, arrival: number, mails: readonly StoredRow[]): Acceptance {
  const { record, entry } = filing;
  const { reference } = drawnOf(filing);
  if (entry.spam) return { result: "accepted", reference, mails: [], capped: [] };
  const { kind, receivedAt } = record;
  const about = { submission: filed(record, { arrival, reference, status: "new" }) };
  const leased: LeasedMail[] = [];
  const capped: MailKind[] = [];
  for (const of of mailsOf[kind]) {
    const row = mails.find(([, , stored]) => stored === of);
    if (row === undefined) capped.push(of);
    else leased.push(justStored(row[0], of, about, receivedAt, entry.lease));
  }
  return { result: "accepted", reference, mails: leased, capped };
}

/** The locks that the statement needs, so that no other process stores a receipt to one of the addresses meanwhile. */
export const receiptLocks = (filings: readonly Filing[]): Bound => ({
  statement: lockReceipts,
  values: [filings.flatMap(({ entry, record }) => (entry.spam ? [] : emailKey(record.email)))],
});

/** A batch that failed is tried again while one of its callers still waits. */
export const latestDeadline = (jobs: readonly { readonly entry: Entry }[]): number =>
  jobs.length === 0 ? Infinity : Math.max(...jobs.map(({ entry }) => entry.deadline));
