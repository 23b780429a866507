// Submissions as records and as rows. What is searched for has a column; the other fields of the kind are JSON, by their
// names in the record.
import type {
  ApplicationRecord,
  ConsentRecord,
  Door,
  InquiryRecord,
  ResumeRecord,
  StoredSubmission,
  SubmissionKind,
  SubmissionRecord,
  TriageStatus,
} from "../records.ts";
import { languageOf, type Language } from "@submissions/shared/language";
import { type Fields, isFields, readFields } from "./json-column.ts";

/** The columns that a submission is read from. */
export const submissionColumns = [
  "arrival",
  "kind",
  "reference",
  "received_at",
  "name",
  "email",
  "status",
  "assignee",
  "version",
  "resume_key",
  "door",
  "request_id",
  "fields",
] as const satisfies readonly (keyof SubmissionRow)[];

export interface SubmissionRow {
  readonly arrival: number;
  readonly kind: SubmissionKind;
  readonly reference: string;
  readonly received_at: number;
  readonly name: string;
  readonly email: string;
  readonly status: TriageStatus;
  readonly assignee: string | null;
  readonly version: number;
  readonly resume_key: string | null;
  readonly door: Door;
  readonly request_id: string;
  readonly fields: string;
}

/** A row from the values of {@link submissionColumns}, in their order. */
export const rowOfColumns = (values: readonly unknown[]): SubmissionRow => ({
  arrival: values[0] as number,
  kind: values[1] as SubmissionKind,
  reference: values[2] as string,
  received_at: values[3] as number,
  name: values[4] as string,
  email: values[5] as string,
  status: values[6] as TriageStatus,
  assignee: values[7] as string | null,
  version: values[8] as number,
  resume_key: values[9] as string | null,
  door: values[10] as Door,
  request_id: values[11] as string,
  fields: values[12] as string,
});

/** What of a call is kept only where it is not the usual: most forms are in English, and show no privacy notice. */
interface Unusual {
  readonly language?: Language;
  readonly consent?: ConsentRecord;
}
type InquiryFields = Pick<InquiryRecord, "company" | "selectedPackageIds"> & Unusual;
type ApplicationFields = Pick<
  ApplicationRecord,
  "position" | "phone" | "company" | "availability" | "accent" | "portfolioUrl" | "resumeUrl" | "coverLetter"
> &
  Unusual & { readonly resume: Omit<ResumeRecord, "key"> | null };

/** The column `fields`. */
export function fieldsOf(record: SubmissionRecord): string {
  if (record.kind === "inquiry") {
    const { company, selectedPackageIds } = record;
    return JSON.stringify({ company, selectedPackageIds, ...unusual(record) } satisfies InquiryFields);
  }
  const { position, phone, company, availability, accent, portfolioUrl, resumeUrl, coverLetter } = record;
  const texts = { position, phone, company, availability, accent, portfolioUrl, resumeUrl, coverLetter };
  return JSON.stringify({
    ...texts,
    resume: resumeFields(record.resume),
    ...unusual(record),
  } satisfies ApplicationFields);
}

const unusual = ({ language, consent }: SubmissionRecord): Unusual => ({
  ...(language !== "en" && { language }),
  ...(consent !== null && { consent }),
});

function resumeFields(resume: ResumeRecord | null): ApplicationFields["resume"] {
  if (resume === null) return null;
  const { filename, kind, size, sha256 } = resume;
  return { filename, kind, size, sha256 };
}

/** The vault's name of a submission's resume; null without one. */
export const resumeKeyOf = (record: SubmissionRecord): string | null =>
  record.kind === "application" ? (record.resume?.key ?? null) : null;

/** A record as it was just stored. */
export const filed = (
  record: SubmissionRecord,
  { arrival, reference, status }: Pick<StoredSubmission, "arrival" | "reference" | "status">,
): StoredSubmission => ({ ...record, arrival, reference, status, assignee: null, version: 1 });

/** Null when `fields` cannot be read. */
export function readSubmission(row: SubmissionRow): StoredSubmission | null {
  try {
    return storedSubmission(row, readFields(row.fields));
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** The submission with what its columns hold where `fields` cannot be read: one bad row must not stop an export. */
export const readSubmissionAnyway = (row: SubmissionRow): StoredSubmission =>
  readSubmission(row) ?? storedSubmission(row, { selectedPackageIds: [], position: "" });

class Unreadable extends Error {}

function storedSubmission(row: SubmissionRow, fields: Fields): StoredSubmission {
  const columns = {
    arrival: row.arrival,
    reference: row.reference,
    receivedAt: row.received_at,
    door: row.door,
    requestId: row.request_id,
    language: languageOf(fields["language"]),
    name: row.name,
    email: row.email,
    status: row.status,
    assignee: row.assignee,
    version: row.version,
    consent: consentOf(fields["consent"]),
  };
  if (row.kind === "inquiry") {
    const { selectedPackageIds } = fields;
    if (!Array.isArray(selectedPackageIds) || !selectedPackageIds.every(isText)) throw new Unreadable();
    return { ...columns, kind: row.kind, company: textOrNull(fields, "company"), selectedPackageIds };
  }
  return {
    ...columns,
    kind: row.kind,
    position: text(fields, "position"),
    phone: textOrNull(fields, "phone"),
    company: textOrNull(fields, "company"),
    availability: textOrNull(fields, "availability"),
    accent: textOrNull(fields, "accent"),
    portfolioUrl: textOrNull(fields, "portfolioUrl"),
    resumeUrl: textOrNull(fields, "resumeUrl"),
    coverLetter: textOrNull(fields, "coverLetter"),
    resume: resumeOf(row, fields),
  };
}

/** A consent as it was stored; null when it was not, or cannot be read. */
function consentOf(stored: unknown): ConsentRecord | null {
  if (!isFields(stored)) return null;
  const { text: version, page, at } = stored;
  return isText(version) && typeof at === "number" ? { text: version, page: isText(page) ? page : null, at } : null;
}

/** As {@link consentOf}, of a column that holds it as JSON. */
export const readConsent = (json: string | null): ConsentRecord | null =>
  json === null ? null : consentOf(readFields(json));

function resumeOf({ resume_key: key }: SubmissionRow, { resume }: Fields): ResumeRecord | null {
  if (key === null || resume === undefined) return null;
  if (!isFields(resume)) throw new Unreadable();
  const { kind, size } = resume;
  if ((kind !== "pdf" && kind !== "doc" && kind !== "docx") || typeof size !== "number") throw new Unreadable();
  return { key, filename: text(resume, "filename"), kind, size, sha256: text(resume, "sha256") };
}

const isText = (value: unknown): value is string => typeof value === "string";

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (!isText(value)) throw new Unreadable();
  return value;
}

function textOrNull(fields: Fields, name: string): string | null {
  return fields[name] === null || fields[name] === undefined ? null : text(fields, name);
}
