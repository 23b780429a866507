// What operators take out: all inquiries, applications or subscribers as CSV or NDJSON, record by record, so that memory
// stays flat however many there are. Knows no terminal, no HTTP and no storage engine.
import type { StoredApplication, StoredInquiry, StoredSubscriber } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";
import { byteOrderMark, csvLine, joinList, type Cell } from "./csv.ts";

export const exportSubjects = ["inquiries", "subscribers", "applications"] as const;
export type ExportSubject = (typeof exportSubjects)[number];

export const exportFormats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

type Sources = Pick<Store, "exportInquiries" | "exportApplications" | "exportSubscribers">;

const iso = (epochMs: number): string => new Date(epochMs).toISOString();
const isoOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : iso(epochMs));

// The keys of these objects, in this order, are a promise to whoever reads the exports. Absent values are null.
const inquiryFields = (inquiry: StoredInquiry) => ({
  inquiryId: inquiry.reference,
  status: inquiry.status,
  receivedAt: iso(inquiry.receivedAt),
  name: inquiry.name,
  company: inquiry.company,
  email: inquiry.email,
  selectedPackageIds: inquiry.selectedPackageIds,
  emailDisposable: inquiry.emailDisposable,
});

const applicationFields = (application: StoredApplication) => ({
  applicationId: application.reference,
  status: application.status,
  receivedAt: iso(application.receivedAt),
  fullName: application.fullName,
  email: application.email,
  position: application.position,
  phone: application.phone,
  company: application.company,
  availability: application.availability,
  accent: application.accent,
  portfolioUrl: application.portfolioUrl,
  resumeUrl: application.resumeUrl,
  coverLetter: application.coverLetter,
  // The vault's key is nobody's business outside.
  resume: application.resume && {
    filename: application.resume.filename,
    kind: application.resume.kind,
    size: application.resume.size,
    sha256: application.resume.sha256,
  },
  emailDisposable: application.emailDisposable,
});

const subscriberFields = (subscriber: StoredSubscriber) => ({
  email: subscriber.email,
  status: subscriber.status,
  source: subscriber.source,
  lastSource: subscriber.lastSource,
  subscribedAt: iso(subscriber.subscribedAt),
  confirmedAt: isoOrNull(subscriber.confirmedAt),
  unsubscribedAt: isoOrNull(subscriber.unsubscribedAt),
  emailDisposable: subscriber.emailDisposable,
});

/** CSV columns by name, left to right. New ones go to the right end only. */
type Columns<Fields> = Readonly<Record<string, (fields: Fields) => Cell>>;

type CellNames<Fields> = { [Name in keyof Fields]: Fields[Name] extends Cell ? Name : never }[keyof Fields] & string;

/** Columns that are named like their field. */
function plain<Fields>(...names: CellNames<Fields>[]): Columns<Fields> {
  return Object.fromEntries(names.map((name) => [name, (fields: Fields) => fields[name] as Cell]));
}

const inquiryColumns: Columns<ReturnType<typeof inquiryFields>> = {
  ...plain("inquiryId", "status", "receivedAt", "name", "company", "email"),
  selectedPackageIds: (fields) => joinList(fields.selectedPackageIds),
  ...plain("emailDisposable"),
};

const applicationColumns: Columns<ReturnType<typeof applicationFields>> = {
  ...plain("applicationId", "status", "receivedAt", "fullName", "email", "position", "phone", "company"),
  ...plain("availability", "accent", "portfolioUrl", "resumeUrl", "coverLetter"),
  resumeFilename: (fields) => fields.resume?.filename ?? null,
  resumeKind: (fields) => fields.resume?.kind ?? null,
  resumeSize: (fields) => fields.resume?.size ?? null,
  resumeSha256: (fields) => fields.resume?.sha256 ?? null,
  ...plain("emailDisposable"),
};

const subscriberColumns: Columns<ReturnType<typeof subscriberFields>> = plain(
  "email",
  "status",
  "source",
  "lastSource",
  "subscribedAt",
  "confirmedAt",
  "unsubscribedAt",
  "emailDisposable",
);

/**
 * An export as texts, one a record and for CSV one before them (byte-order mark and header, also when there is no
 * record). Stopping early closes the reading.
 *
 * @param since milliseconds since the epoch; records received, or subscribers who subscribed, at or after it
 */
export function exportLines(
  sources: Sources,
  subject: ExportSubject,
  format: ExportFormat,
  since: number,
): AsyncGenerator<string> {
  const exports: Record<ExportSubject, () => AsyncGenerator<string>> = {
    inquiries: () => lines(sources.exportInquiries(since), inquiryFields, inquiryColumns, format),
    applications: () => lines(sources.exportApplications(since), applicationFields, applicationColumns, format),
    subscribers: () => lines(sources.exportSubscribers(since), subscriberFields, subscriberColumns, format),
  };
  return exports[subject]();
}

async function* lines<Row, Fields>(
  rows: AsyncIterable<Row>,
  fieldsOf: (row: Row) => Fields,
  columns: Columns<Fields>,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === "ndjson") {
    for await (const row of rows) yield `${JSON.stringify(fieldsOf(row))}\n`;
    return;
  }
  const cells = Object.values(columns);
  yield byteOrderMark + csvLine(Object.keys(columns));
  for await (const row of rows) {
    const fields = fieldsOf(row);
    yield csvLine(cells.map((cell) => cell(fields)));
  }
}
