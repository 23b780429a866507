// Submissions as records and as rows. What is searched for has a column; the other fields of the kind are JSON, by their
// names in the record.
import { namedFields, type FieldValue, type NamedField } from "../../field-values.ts";
import type { ConsentRecord, ResumeRecord, StoredSubmission, SubmissionRecord } from "../records.ts";
import type { FieldKind } from "@submissions/shared/field-table";
import { languageOf } from "@submissions/shared/language";
import { columnsOf, picked } from "./columns.ts";
import { type Fields, isFields, readFields } from "./json-column.ts";

const ownNames = [
  ...(["arrival", "kind", "reference", "receivedAt", "name", "email", "status", "assignee", "version"] as const),
  ...(["door", "requestId"] as const),
] as const;

/** The columns that a submission is read from. */
export const submissionColumns = columnsOf("submission", [...ownNames, "resumeKey", "fields", "tags", "disposable"]);

export interface SubmissionRow extends Pick<StoredSubmission, (typeof ownNames)[number]> {
  readonly resumeKey: string | null;
  readonly fields: string;
  readonly tags: string | null;
  readonly disposable: number;
}

// The others of a kind have columns of their own.
const inJson = ({ storedAs }: NamedField) => storedAs !== "name" && storedAs !== "email";
const jsonFields = { inquiry: namedFields.inquiry.filter(inJson), application: namedFields.application.filter(inJson) };

/** The column `fields`. What is the usual is left out: English, no privacy notice, no further fields. */
export function fieldsOf(record: SubmissionRecord): string {
  const values = record as unknown as Fields;
  const fields: Record<string, unknown> = {};
  for (const { storedAs } of jsonFields[record.kind]) fields[storedAs] = values[storedAs];
  if (record.kind === "application") fields["resume"] = record.resume && { ...record.resume, key: undefined };
  if (record.language !== "en") fields["language"] = record.language;
  if (record.consent !== null) fields["consent"] = record.consent;
  if (record.more !== null) fields["more"] = record.more;
  return JSON.stringify(fields);
}

/** The vault's name of a submission's resume; null without one. */
export const resumeKeyOf = (record: SubmissionRecord): string | null =>
  record.kind === "application" ? (record.resume?.key ?? null) : null;

/** A record as it was just stored. */
export const filed = (
  record: SubmissionRecord,
  { arrival, reference, status }: Pick<StoredSubmission, "arrival" | "reference" | "status">,
): StoredSubmission => ({
  ...record,
  arrival,
  reference,
  status,
  assignee: null,
  tags: [],
  version: 1,
  disposable: false,
});

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
  readSubmission(row) ??
  storedSubmission(row, Object.fromEntries(jsonFields[row.kind].map(({ kind, storedAs }) => [storedAs, blank(kind)])));

const blank = (kind: FieldKind) => (kind === "packages" ? [] : "");

class Unreadable extends Error {}

function storedSubmission(row: SubmissionRow, fields: Fields): StoredSubmission {
  const columns = {
    ...picked(row, ownNames),
    language: languageOf(fields["language"]),
    tags: readTags(row.tags),
    disposable: row.disposable === 1,
    consent: consentOf(fields["consent"]),
    more: moreOf(fields["more"]),
  };
  const values = Object.fromEntries(jsonFields[row.kind].map((field) => [field.storedAs, readValue(field, fields)]));
  const submission = row.kind === "inquiry" ? values : { ...values, resume: resumeOf(row, fields) };
  return { ...columns, ...submission } as StoredSubmission;
}

function readValue({ kind, storedAs, rule }: NamedField, fields: Fields): FieldValue {
  if (kind !== "packages") return rule?.required ? text(fields, storedAs) : textOrNull(fields, storedAs);
  const list = fields[storedAs];
  if (!Array.isArray(list) || !list.every(isText)) throw new Unreadable();
  return list;
}

/** A consent as it was stored; null when it was not, or cannot be read. */
function consentOf(stored: unknown): ConsentRecord | null {
  if (!isFields(stored)) return null;
  const { text: version, page, at } = stored;
  return isText(version) && typeof at === "number" ? { text: version, page: isText(page) ? page : null, at } : null;
}

/** The column `tags`. */
export const readTags = (json: string | null): readonly string[] =>
  json === null ? [] : (JSON.parse(json) as readonly string[]);

/** Further fields as they were stored. */
function moreOf(stored: unknown): SubmissionRecord["more"] {
  const texts = isFields(stored) ? Object.entries(stored).filter(([, value]) => isText(value)) : [];
  return texts.length === 0 ? null : (Object.fromEntries(texts) as Record<string, string>);
}

/** As {@link consentOf}, of a column that holds it as JSON. */
export const readConsent = (json: string | null): ConsentRecord | null =>
  json === null ? null : consentOf(readFields(json));

function resumeOf({ resumeKey: key }: SubmissionRow, { resume }: Fields): ResumeRecord | null {
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
