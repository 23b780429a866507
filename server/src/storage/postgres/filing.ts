// Inquiries and applications as rows: the part of a statement that stores them with their mails, its parameters and its
// answer. No lock on an address is taken for that: processes that store receipts to one address at the same moment may
// exceed its cap by one each.
import { emailKey } from "@submissions/shared/fields";
import type { LeasedMail, MailKind, SubmissionKind, SubmissionRecord } from "../records.ts";
import { mailId } from "../rules/mail-id.ts";
import { capMs, mailsOf, receiptsMax } from "../rules/mails.ts";
import { dayNumber, dayOf, type References } from "../rules/references.ts";
import { fieldsOf, filed, resumeKeyOf } from "../rules/submission-row.ts";
import type { Acceptance, Entry } from "../store.ts";
import { rowsAs, type RowOf, valuesOf } from "./columns.ts";
import { begun, type Session, type Statement } from "./connections.ts";
import type { DayNumbers } from "./day-numbers.ts";
import { suppressedInSql } from "./suppressed.ts";

/** A submission that is to be stored. */
export interface Filing {
  readonly entry: Entry;
  readonly record: SubmissionRecord;
  /** Of the day; null until one is drawn. It stays through all tries: a second row with it cannot be stored. */
  counter: number | null;
}

/** A row of the answer: of a submission, its arrival and its number; of a mail, its row and its submission. */
export type StoredRow = readonly [id: number, of: number, kind: SubmissionKind | MailKind];

/** What one submission is stored from. */
export const filingColumns = {
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
  // By what the statement knows it again.
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
 * of them.
 */
export const filingParts = `
  ${begun},
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
    FROM stored, LATERAL (SELECT array_position(${parameter("number")}::bigint[], number)) AS place (place),
      (VALUES ('-receipt'), ('-notice')) AS suffix (suffix)
    WHERE status = 'new' AND (receipt_at IS NOT NULL OR suffix = '-notice')
    RETURNING id, submission, kind
  )`;

export const filingAnswer = `
  SELECT arrival, number, kind FROM stored UNION ALL SELECT id, submission, kind FROM mails`;

/** Submissions that are stored, as the statement that stored them answered. */
const findStored: Statement<StoredRow> = {
  name: "find-stored",
  text: `
    WITH stored AS MATERIALIZED (
      SELECT arrival, ${numberInSql} AS number, kind FROM submission
      JOIN unnest($1::text[], $2::bigint[]) AS wanted (kind, day_number) USING (kind, day_number)
    ),
    mails AS (SELECT mail.id, mail.submission, mail.kind FROM stored JOIN mail ON mail.submission = stored.arrival)
    ${filingAnswer}`,
  arrays: true,
};

export class Filings {
  readonly #references: References;
  readonly #numbers: DayNumbers;

  constructor(references: References, numbers: DayNumbers) {
    this.#references = references;
    this.#numbers = numbers;
  }

  /** Draws the counters that filings still need. Answers those for which none is left. */
  async draw(filings: readonly Filing[]): Promise<ReadonlySet<Filing>> {
    const without = filings.filter(({ counter }) => counter === null);
    for (const group of Map.groupBy(without, ({ record }) => `${record.kind} ${dayOf(record.receivedAt)}`).values()) {
      const { kind, receivedAt } = (group[0] as Filing).record;
      const counters = await this.#numbers.take(kind, dayOf(receivedAt), group.length);
      for (const [index, counter] of counters.entries()) (group[index] as Filing).counter = counter;
    }
    return new Set(without.filter(({ counter }) => counter === null));
  }

  /** Gives back the counter of a filing that was refused. */
  giveBack(filing: Filing): void {
    if (filing.counter === null) return;
    this.#numbers.giveBack(filing.record.kind, dayOf(filing.record.receivedAt), filing.counter);
    filing.counter = null;
  }

  /** The parameters of filings that have their counters. */
  valuesOf(filings: readonly Filing[]): unknown[] {
    const receipts = new Map<string, number>();
    const rows = filings.map((filing): RowOf<typeof filingColumns> => {
      const { record, entry } = filing;
      const key = emailKey(record.email);
      const before = receipts.get(key) ?? 0;
      if (!entry.spam) receipts.set(key, before + 1);
      return {
        kind: record.kind,
        day_number: dayNumberOf(filing),
        reference: this.#referenceOf(filing),
        received_at: record.receivedAt,
        name: record.name,
        email: record.email,
        email_key: key,
        status: statusOf(filing),
        receipts_before: before,
        resume_key: resumeKeyOf(record),
        door: record.door,
        request_id: record.requestId,
        fields: fieldsOf(record),
        number: numberOf(filing),
        lease_owner: entry.lease.owner,
        lease_until: entry.lease.until,
      };
    });
    return valuesOf(filingColumns, rows);
  }

  /** Which of the filings are stored; null when none is. All of one transaction are, or none. */
  async findIn(session: Session, filings: readonly Filing[]): Promise<StoredRow[] | null> {
    const rows = await session.all(findStored, [filings.map(({ record }) => record.kind), filings.map(dayNumberOf)]);
    return rows.length === 0 ? null : rows;
  }

  /** What became of filings, all of which are stored. */
  answersOf(filings: readonly Filing[], rows: readonly StoredRow[]): Map<Filing, Acceptance> {
    const arrivals = new Map<number, number>();
    const mails = new Map<number, StoredRow[]>();
    for (const row of rows) {
      const [id, of, kind] = row;
      if (kind === "inquiry" || kind === "application") arrivals.set(of, id);
      else mails.set(of, [...(mails.get(of) ?? []), row]);
    }
    const answers = new Map<Filing, Acceptance>();
    for (const filing of filings) {
      const arrival = arrivals.get(numberOf(filing));
      if (arrival === undefined) throw new Error("A submission that was stored is missing in the answer.");
      answers.set(filing, this.#acceptanceOf(filing, arrival, mails.get(arrival) ?? []));
    }
    return answers;
  }

  #acceptanceOf(filing: Filing, arrival: number, mails: readonly StoredRow[]): Acceptance {
    const { record, entry } = filing;
    const { kind, receivedAt: createdAt } = record;
    const reference = this.#referenceOf(filing);
    if (entry.spam) return { result: "accepted", reference, mails: [], capped: [] };
    const about = { submission: filed(record, { arrival, reference, status: "new" }) };
    const rowOf = (of: MailKind) => mails.find(([, , stored]) => stored === of)?.[0];
    const leased = mailsOf[kind].flatMap((of): LeasedMail | [] => {
      const row = rowOf(of);
      if (row === undefined) return [];
      const id = mailId(row, createdAt);
      return { id, kind: of, about, createdAt, attempts: 0, denials: null, leasedUntil: entry.lease.until };
    });
    const capped = mailsOf[kind].filter((of) => rowOf(of) === undefined);
    return { result: "accepted", reference, mails: leased, capped };
  }

  #referenceOf({ record, counter }: Filing): string {
    return this.#references.format(record.kind, dayOf(record.receivedAt), drawn(counter));
  }
}

const statusOf = ({ entry }: Filing) => (entry.spam ? "spam" : "new");

/** By what a statement knows a filing again; see {@link numberInSql}. */
export const numberOf = (filing: Filing): number =>
  dayNumberOf(filing) * 2 + Number(filing.record.kind === "application");

const dayNumberOf = ({ record, counter }: Filing): number => dayNumber(dayOf(record.receivedAt), drawn(counter));

function drawn(counter: number | null): number {
  if (counter === null) throw new Error("A submission has no number of its day.");
  return counter;
}

/** A batch that failed is tried again while one of its callers still waits. */
export const latestDeadline = (jobs: readonly { readonly entry: Entry }[]): number =>
  jobs.length === 0 ? Infinity : Math.max(...jobs.map(({ entry }) => entry.deadline));
