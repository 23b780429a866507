// The values of a submission's fields, by the tables in shared: from what a caller sends to what is stored, and back to
// the names of the request. What lists them (notice, export, console, search) goes by these.
import { applicationFields, resumeField } from "@submissions/shared/application-fields";
import type { ApplicationInput } from "@submissions/shared/application";
import type { Field, FieldTable } from "@submissions/shared/field-table";
import type { InquiryInput } from "@submissions/shared/inquiry";
import { inquiryFields } from "@submissions/shared/inquiry-fields";
import type { Language } from "@submissions/shared/language";
import { sizeIn } from "@submissions/shared/size";
import type { ResumeRecord, StoredSubmission, SubmissionKind, SubmissionValues } from "./storage/records.ts";

export interface NamedField extends Field {
  /** In the request. */
  readonly name: string;
  /** In the record: every kind has a `name`. */
  readonly storedAs: string;
}

/** The fields of each kind in the order of their table, without the resume, which is stored apart. */
export const namedFields: Readonly<Record<SubmissionKind, readonly NamedField[]>> = {
  inquiry: named(inquiryFields),
  application: named(applicationFields),
};

function named(table: FieldTable): NamedField[] {
  const fields = Object.entries(table).filter(([name]) => name !== resumeField);
  return fields.map(([name, field]) => ({ ...field, name, storedAs: name === "fullName" ? "name" : name }));
}

/** What is stored of an input; absent fields are null. */
export function valuesOf(kind: "inquiry", input: InquiryInput): SubmissionValues["inquiry"];
export function valuesOf(kind: "application", input: ApplicationInput): SubmissionValues["application"];
export function valuesOf(kind: SubmissionKind, input: object): object {
  const sent = input as Readonly<Record<string, unknown>>;
  const values: Record<string, unknown> = {};
  for (const { name, storedAs } of namedFields[kind]) values[storedAs] = sent[name] ?? null;
  return values;
}

/** What submissions of a kind are called together, also in the addresses of their pages. */
const plurals = { inquiry: "inquiries", application: "applications" } as const;

export const consolePageOf = (publicUrl: string, reference: string): string =>
  `${publicUrl}/console/${plurals[reference.startsWith("INQ-") ? "inquiry" : "application"]}/${reference}`;

/** `1 resume`, `1,200 resumes`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  // A number formatter is slow, and the mails of each inquiry count packages.
  `${count < 1_000 ? count : count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** `90 minutes`, `30 hours`, `12 days`. */
export function ageOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return counted(minutes, "minute");
  return minutes < 48 * 60 ? counted(Math.floor(minutes / 60), "hour") : counted(Math.floor(minutes / 1_440), "day");
}

/** `PDF, 480 kB`. */
export const kindAndSize = ({ kind, size }: Pick<ResumeRecord, "kind" | "size">, language: Language = "en"): string =>
  `${kind.toUpperCase()}, ${sizeIn(language, size)}`;

/** `2026-11-21 09:30 UTC`. */
export const utcMinute = (epochMs: number): string =>
  `${new Date(epochMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;

export type FieldValue = string | readonly string[] | null;

export const valueOf = (submission: StoredSubmission, { storedAs }: NamedField): FieldValue =>
  (submission as unknown as Readonly<Record<string, FieldValue>>)[storedAs] ?? null;

/** The fields of a submission by their names in the request. */
export const sentFields = (submission: StoredSubmission): Readonly<Record<string, FieldValue>> =>
  Object.fromEntries(namedFields[submission.kind].map((field) => [field.name, valueOf(submission, field)]));
