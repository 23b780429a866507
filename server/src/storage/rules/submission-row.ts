// Submissions as records and as rows. What is searched for has a column; the other fields of the kind are JSON, by their
// names in the record.
import { namedFields, picked, type FieldValue, type NamedField } from "../../field-values.ts";
import { ofKinds } from "../../kinds.ts";
import type { ConsentRecord, ResumeRecord, StoredSubmission, SubmissionRecord } from "../records.ts";
import { kindOf, type SubmissionKind } from "@submissions/shared/kinds";
import { type Stage, stages } from "@submissions/shared/stages";
import { waitedFor } from "./waiting.ts";
import { type Fields, isFields } from "../../read-unknown.ts";
import { columnsOf, isText, readFields, readTexts } from "./columns.ts";

const ownNames = [
  ...(["arrival", "kind", "reference", "receivedAt", "name", "email", "status", "assignee", "version"] as const),
  ...(["declineReason", "decidedAt"] as const),
  ...(["firstReplyAt", "lastReplyAt", "lastAnswerAt", "snoozedUntil", "door", "requestId"] as const),
] as const;

export const submissionColumns = columnsOf("submission", [
  ...ownNames,
  "stage",
  "resumeKey",
  "fields",
  "tags",
  "disposable",
]);

export interface SubmissionRow extends Pick<StoredSubmission, (typeof ownNames)[number]> {
  readonly stage: Stage;
  readonly resumeKey: string | null;
  readonly fields: string;
  readonly tags: string | null;
  readonly disposable: number;
}

// The others of a kind have columns of their own.
const inJson = ({ storedAs }: NamedField) => storedAs !== "name" && storedAs !== "email";
const jsonFields = ofKinds((kind) => namedFields[kind].filter(inJson));

/** The column `fields`. What is the usual is left out: English, no privacy notice, no further fields. */
export function fieldsOf(record: SubmissionRecord): string {
  const values = record as unknown as Fields;
  const fields: Record<string, unknown> = {};
  for (const { storedAs } of jsonFields[record.kind]) fields[storedAs] = values[storedAs];
  if (kindOf(record.kind).file !== null) fields["resume"] = record.resume && { ...record.resume, key: undefined };
  // Behind the resume, where the filter of the inbox looks for it.
  if (record.opening !== undefined) fields["opening"] = record.opening;
  if (record.language !== "en") fields["language"] = record.language;
  if (record.consent !== null) fields["consent"] = record.consent;
  if (record.more !== null) fields["more"] = record.more;
  return JSON.stringify(fields);
}

/** A submission as it is right after it was stored. */
export const newlyStored = (
  record: SubmissionRecord,
  stored: Pick<StoredSubmission, "arrival" | "reference" | "status">,
): StoredSubmission => ({
  ...record,
  ...stored,
  stage: stageOf(record.kind, stages[0]),
  declineReason: null,
  decidedAt: null,
  assignee: null,
  tags: [],
  version: 1,
  firstReplyAt: null,
  lastReplyAt: null,
  lastAnswerAt: null,
  waitedFor: stored.status === "new" ? "us" : null,
  snoozedUntil: null,
  disposable: false,
});

/** The column of a kind without stages has the first one, which means nothing. */
export const stageOf = (kind: SubmissionKind, stage: Stage): Stage | null => (kindOf(kind).staged ? stage : null);

/** Null when one of its `fields` cannot be read. */
export function readSubmission(row: SubmissionRow): StoredSubmission | null {
  const { submission, isWhole } = read(row);
  return isWhole ? submission : null;
}

/** The submission with what can be read of it: one bad row must not stop an export. */
export const readSubmissionAnyway = (row: SubmissionRow): StoredSubmission => read(row).submission;

function read(row: SubmissionRow): { readonly submission: StoredSubmission; readonly isWhole: boolean } {
  const fields = readFields(row.fields);
  let isWhole = true;
  const checked = <Value>(value: unknown, is: (value: unknown) => value is Value, blank: Value): Value => {
    if (is(value)) return value;
    isWhole = false;
    return blank;
  };
  const valueOf = ({ kind, storedAs, rule }: NamedField): FieldValue => {
    const value = fields[storedAs];
    if (kind === "packages") return checked(value, areTexts, []);
    return rule?.required ? checked(value, isText, "") : value == null ? null : checked(value, isText, "");
  };
  const resumeOf = ({ resumeKey: key }: SubmissionRow): ResumeRecord | null => {
    const stored = key === null ? null : checked(fields["resume"] ?? null, isResumeOrNull, null);
    return key === null || stored === null ? null : { ...stored, key };
  };
  const columns = {
    ...picked(row, ownNames),
    stage: stageOf(row.kind, row.stage),
    language: isText(fields["language"]) ? fields["language"] : "en",
    waitedFor: waitedFor(row),
    tags: readTexts(row.tags),
    disposable: row.disposable === 1,
    consent: consentOf(fields["consent"]),
    more: moreOf(fields["more"]),
    ...(isText(fields["opening"]) && { opening: fields["opening"] }),
  };
  const values = Object.fromEntries(jsonFields[row.kind].map((field) => [field.storedAs, valueOf(field)]));
  const submission = { ...columns, ...values, resume: resumeOf(row) } as StoredSubmission;
  return { submission, isWhole };
}

/** A consent as it was stored; null when it was not, or cannot be read. */
function consentOf(stored: unknown): ConsentRecord | null {
  if (!isFields(stored)) return null;
  const { text: version, page, at } = stored;
  return isText(version) && typeof at === "number" ? { text: version, page: isText(page) ? page : null, at } : null;
}

function moreOf(stored: unknown): SubmissionRecord["more"] {
  const texts = isFields(stored) ? Object.entries(stored).filter(([, value]) => isText(value)) : [];
  return texts.length === 0 ? null : (Object.fromEntries(texts) as Record<string, string>);
}

/** As {@link consentOf}, of a column that holds it as JSON. */
export const readConsent = (json: string | null): ConsentRecord | null =>
  json === null ? null : consentOf(readFields(json));

const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

function isResumeOrNull(value: unknown): value is Omit<ResumeRecord, "key"> | null {
  if (!isFields(value)) return value === null;
  const { filename, kind, size, sha256 } = value;
  const isKnown = kind === "pdf" || kind === "doc" || kind === "docx";
  return isKnown && typeof size === "number" && isText(filename) && isText(sha256);
}
