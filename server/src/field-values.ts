// The values of a submission's fields, by the tables in shared: from what a caller sends to what is stored, and back to
// the names of the request. What lists them (notice, export, console, search) goes by these.
import type { Field } from "@submissions/shared/field-table";
import { kindOf, kindOfReference, type SubmissionKind } from "@submissions/shared/kinds";
import type { Language } from "@submissions/shared/language";
import { sizeIn } from "@submissions/shared/size";
import { type InputOf, ofKinds } from "./kinds.ts";
import type { ResumeRecord, StoredSubmission, SubmissionValues } from "./storage/records.ts";

export interface NamedField extends Field {
  /** In the request. */
  readonly name: string;
  /** In the record: every kind has a `name`. */
  readonly storedAs: string;
}

/** The fields of each kind in the order of their table, without the resume, which is stored apart. */
export const namedFields = ofKinds((ofKind): readonly NamedField[] => {
  const fields = Object.entries(kindOf(ofKind).fields).filter(([, { kind }]) => kind !== "file");
  return fields.map(([name, field]) => ({ storedAs: name, ...field, name }));
});

/** What is stored of an input; absent fields are null. */
export function valuesOf<Kind extends SubmissionKind>(kind: Kind, input: InputOf<Kind>): SubmissionValues[Kind] {
  const sent = input as Readonly<Record<string, unknown>>;
  const values: Record<string, unknown> = {};
  for (const { name, storedAs } of namedFields[kind]) values[storedAs] = sent[name] ?? null;
  return values as SubmissionValues[Kind];
}

/** These of an object that may have others, in this order. */
export const picked = <Of extends object, Name extends keyof Of>(of: Of, names: readonly Name[]): Pick<Of, Name> =>
  Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<Of, Name>;

/** @param reference one of ours */
export const consolePageOf = (publicUrl: string, reference: string): string =>
  `${publicUrl}/console/${kindOf(kindOfReference(reference)!).plural}/${reference}`;

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

/** The text of a submission under this name in its record; null: its kind has no such field, or it was not filled in. */
export function textNamed(submission: StoredSubmission, name: string): string | null {
  const value = (submission as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : null;
}

/** What the person wrote: the field of paragraphs, else the further field `message`. Null: nothing. */
export function letterOf(submission: StoredSubmission): string | null {
  const fields = namedFields[submission.kind].filter(({ kind }) => kind === "paragraphs");
  const written = fields.map((field) => valueOf(submission, field)).find((value) => typeof value === "string");
  return written ?? submission.more?.["message"] ?? null;
}

/** The packages that a submission names; none where its kind names none. */
export function packageIdsOf(submission: StoredSubmission): readonly string[] {
  const field = namedFields[submission.kind].find(({ kind }) => kind === "packages");
  return field === undefined ? [] : (valueOf(submission, field) as readonly string[]);
}
