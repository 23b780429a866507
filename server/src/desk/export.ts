// What operators take out: inquiries, applications, subscribers or entries of the audit log as CSV or NDJSON, page by page,
// so that memory stays flat. Knows no terminal, no HTTP and no storage engine.
import type { AuditRow } from "@submissions/shared/console";
import { sentFields } from "../field-values.ts";
import type { KnownFact } from "../storage/desk-store.ts";
import type { ResumeRecord, StoredSubmission, StoredSubscriber } from "../storage/records.ts";
import type { ReadFrom, ReadRows, Store } from "../storage/store.ts";
import { shownMail } from "./detail.ts";
import { byteOrderMark, csvLine, joinList, type Cell } from "./csv.ts";

export const exportSubjects = ["inquiries", "subscribers", "applications", "audit"] as const;
export type ExportSubject = (typeof exportSubjects)[number];

export const exportFormats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Rows of the subject of an export, page by page, in the order of arrival. */
export type ExportRows = AsyncIterable<readonly Row[]>;

/** All rows of a subject. @param from by the time of receipt, of the subscription, or of the entry, whose id is its number */
export const allRows = (store: Pick<Store, "readAll">, subject: ExportSubject, from: ReadFrom): ExportRows =>
  store.readAll(kinds[subject], from);

interface ExportOptions {
  readonly subject: ExportSubject;
  readonly format: ExportFormat;
  /** Whether an address is at a host of throw-away addresses. */
  readonly isDisposable: (email: string) => boolean;
}

/** `2026-11-21T09:30:00.000Z`. */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString();

const isoOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : iso(epochMs));

/** The privacy notice that came with a form; all null where it did not tell. */
const consentFields = ({ consent }: Pick<StoredSubscriber, "consent">) => ({
  consentText: consent?.text ?? null,
  consentPage: consent?.page ?? null,
  consentAt: isoOrNull(consent?.at ?? null),
});

// The keys of these objects, in this order, are a promise to the readers of the exports. Absent values are null.
export const submissionFields = (submission: StoredSubmission) => ({
  [submission.kind === "inquiry" ? "inquiryId" : "applicationId"]: submission.reference,
  status: submission.status,
  receivedAt: iso(submission.receivedAt),
  ...sentFields(submission),
  ...(submission.kind === "application" && { resume: resumeFields(submission.resume) }),
  more: submission.more,
  tags: submission.tags,
});

/** Without its key, which is the vault's own. */
function resumeFields(resume: ResumeRecord | null): Omit<ResumeRecord, "key"> | null {
  if (resume === null) return null;
  const { filename, kind, size, sha256 } = resume;
  return { filename, kind, size, sha256 };
}

export const subscriberFields = (subscriber: StoredSubscriber) => ({
  email: subscriber.email,
  status: subscriber.status,
  source: subscriber.source,
  lastSource: subscriber.lastSource,
  subscribedAt: iso(subscriber.subscribedAt),
  confirmedAt: isoOrNull(subscriber.confirmedAt),
  unsubscribedAt: isoOrNull(subscriber.unsubscribedAt),
});

const markNames = ["emailDisposable", "arrival", "consentText", "consentPage", "consentAt", "language"] as const;

/** CSV columns by name, left to right. Their order is a promise: new ones go to the right end only. */
type Fields = Readonly<Record<string, unknown>>;
type Columns = Readonly<Record<string, (row: Fields) => Cell>>;

/** Columns that are named like their field; a list is one cell. */
const plain = (...names: string[]): Columns =>
  Object.fromEntries(
    names.map((name) => [name, ({ [name]: value }) => (Array.isArray(value) ? joinList(value) : (value as Cell))]),
  );

const resumeColumn =
  (name: keyof ResumeRecord): Columns[string] =>
  ({ resume }) =>
    (resume as ResumeRecord | null)?.[name] ?? null;

/** Further fields have a stranger's names, so all of them are one cell of JSON. */
const lastColumns: Columns = {
  more: ({ more }) => (more === null ? null : JSON.stringify(more)),
  ...plain("tags"),
};

const inquiryColumns: Columns = {
  ...plain("inquiryId", "status", "receivedAt", "name", "company", "email", "selectedPackageIds", ...markNames),
  ...lastColumns,
};

const applicationColumns: Columns = {
  ...plain("applicationId", "status", "receivedAt", "fullName", "email", "position", "phone", "company"),
  ...plain("availability", "accent", "portfolioUrl", "resumeUrl", "coverLetter"),
  resumeFilename: resumeColumn("filename"),
  resumeKind: resumeColumn("kind"),
  resumeSize: resumeColumn("size"),
  resumeSha256: resumeColumn("sha256"),
  ...plain(...markNames),
  ...lastColumns,
};

const subscriberColumns: Columns = {
  ...plain("email", "status", "source", "lastSource", "subscribedAt", "confirmedAt", "unsubscribedAt"),
  ...plain(...markNames),
};

const auditColumns: Columns = {
  ...plain("id", "at", "operator", "action", "subject"),
  detail: ({ detail }) => JSON.stringify(detail),
};

/** Some records of an export, one after the other. */
interface ExportPiece {
  readonly records: number;
  readonly text: string;
}

/** Characters of a piece: large enough for few system calls, small enough that a page of long letters is several. */
const pieceLengthMin = 64 * 1024;

type Row = ReadRows[keyof ReadRows];

const kinds = {
  inquiries: "inquiry",
  applications: "application",
  subscribers: "subscriber",
  audit: "audit",
} as const satisfies Record<ExportSubject, keyof ReadRows>;

interface Exported {
  readonly columns: Columns;
  /** Of a row of this kind. */
  fieldsOf(row: Row): Fields;
}

const exportsOf = (isDisposable: ExportOptions["isDisposable"]): Record<ExportSubject, Exported> => {
  const marked =
    <One extends Pick<StoredSubscriber, "email" | "arrival" | "consent" | "language">>(
      fieldsOf: (row: One) => Fields,
    ) =>
    (row: One) => {
      const { email, arrival, language } = row;
      return { ...fieldsOf(row), emailDisposable: isDisposable(email), arrival, ...consentFields(row), language };
    };
  return {
    inquiries: { columns: inquiryColumns, fieldsOf: marked(submissionFields) },
    applications: { columns: applicationColumns, fieldsOf: marked(submissionFields) },
    subscribers: { columns: subscriberColumns, fieldsOf: marked(subscriberFields) },
    audit: { columns: auditColumns, fieldsOf: (row: AuditRow) => ({ ...row, at: iso(row.at) }) },
  };
};

/**
 * An export in pieces, in the order of arrival. For CSV a byte-order mark and a header come first, also when there is no
 * record. Stopping early closes the reading.
 */
export async function* exportRecords(
  pages: ExportRows,
  { subject, format, isDisposable }: ExportOptions,
): AsyncGenerator<ExportPiece> {
  const { columns, fieldsOf } = exportsOf(isDisposable)[subject];
  const lineOf = (fields: Fields) => csvLine(Object.values(columns).map((column) => column(fields)));
  const write = (row: Row) => (format === "csv" ? lineOf(fieldsOf(row)) : `${JSON.stringify(fieldsOf(row))}\n`);
  // The head waits for the first records: a reading that fails before them has sent nothing yet.
  let text = format === "csv" ? byteOrderMark + csvLine(Object.keys(columns)) : "";
  let records = 0;
  for await (const rows of pages) {
    for (const row of rows) {
      text += write(row);
      records += 1;
      if (text.length < pieceLengthMin) continue;
      yield { records, text };
      [text, records] = ["", 0];
    }
  }
  if (text !== "") yield { records, text };
}

export async function* textsOf(pieces: AsyncIterable<ExportPiece>): AsyncGenerator<string> {
  for await (const { text } of pieces) yield text;
}

/** A fact of a person, as NDJSON, under the names that exports use. */
export const personLine = (fact: KnownFact): string => `${JSON.stringify(factFields(fact))}\n`;

function factFields(fact: KnownFact): object {
  if (fact.kind === "submission") {
    const { submission } = fact;
    const { kind, language } = submission;
    return { kind, ...submissionFields(submission), language, ...consentFields(submission) };
  }
  if (fact.kind === "subscription") {
    const { subscriber } = fact;
    const { language } = subscriber;
    return { kind: fact.kind, ...subscriberFields(subscriber), language, ...consentFields(subscriber) };
  }
  if (fact.kind === "note") {
    return { kind: fact.kind, reference: fact.reference, ...fact.note, at: iso(fact.note.at) };
  }
  if (fact.kind === "reply") {
    return { kind: fact.kind, reference: fact.reference, ...fact.reply, at: iso(fact.reply.at) };
  }
  if (fact.kind === "mail") {
    const { id, kind: mail, reference, email, status, createdAt } = shownMail(fact.mail);
    return { kind: fact.kind, id, mail, reference, email, status, createdAt: iso(createdAt) };
  }
  return fact.kind === "suppression" ? { ...fact, at: iso(fact.at) } : { ...fact, createdAt: iso(fact.createdAt) };
}
