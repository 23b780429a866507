// A job application, with or without a resume file: what an applicant sends and gets back.
import * as z from "zod";
import { zfd } from "zod-form-data";
import { applicationFields as fields, resumeField } from "./application-fields.ts";
import { optional, required } from "./fields.ts";
import { kinds } from "./kinds.ts";
import { receiptOf } from "./receipt.ts";

const shape = {
  fullName: required(fields.fullName),
  email: required(fields.email),
  position: required(fields.position),
  phone: optional(fields.phone),
  company: optional(fields.company),
  availability: optional(fields.availability),
  accent: optional(fields.accent),
  portfolioUrl: optional(fields.portfolioUrl),
  resumeUrl: optional(fields.resumeUrl),
  coverLetter: optional(fields.coverLetter),
  [resumeField]: zfd
    .file(z.file("A file belongs here, not a text. In a form, its part needs a file name (filename=).").optional())
    .meta({ description: fields[resumeField].description }),
} as const;

// Written out, because zod-form-data's own type names a type that only the DOM library declares.
type Fields = z.ZodObject<typeof shape>;
type Form = z.ZodPipe<z.ZodTransform<Fields, FormData | z.input<Fields>>, Fields>;

/**
 * Body of `applications.submit`: `FormData`, or the same fields as a plain object without the file. Further
 * fields are kept beside it (docs/api.md).
 */
// zod-form-data throws a TypeError for anything else, so anything else becomes an object without fields.
export const applicationInput = z.preprocess(
  (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}),
  zfd.formData(shape),
) as unknown as Form;

/** What the applicant gets back. */
export const applicationReceipt = receiptOf(kinds.application);

/** What an applicant sends. Optional fields may be blank or null. */
export interface ApplicationInput {
  /** The applicant's full name. At most 200 characters. */
  readonly fullName: string;
  /** Where the receipt and the answer go. At most 254 characters. */
  readonly email: string;
  /** The position applied for. At most 200 characters. */
  readonly position: string;
  /** A telephone number. At most 40 characters. */
  readonly phone?: string | null | undefined;
  /** The present employer. At most 200 characters. */
  readonly company?: string | null | undefined;
  /** When work could begin. At most 500 characters. */
  readonly availability?: string | null | undefined;
  /** The applicant's accent or variety. At most 200 characters. */
  readonly accent?: string | null | undefined;
  /** A portfolio. Stored as text, never fetched. At most 2,048 characters. */
  readonly portfolioUrl?: string | null | undefined;
  /** A resume kept elsewhere. Stored as text, never fetched. At most 2,048 characters. */
  readonly resumeUrl?: string | null | undefined;
  /** Free text; line breaks and tabs are kept. At most 20,000 characters. */
  readonly coverLetter?: string | null | undefined;
  /** PDF, DOC or DOCX, judged by its bytes; at most 5 MiB. A `File` is a `Blob` with a name. */
  readonly resumeFile?: Blob | null | undefined;
}

/** An application as the schema answers it, with cleaned texts. */
export type CheckedApplication = z.output<Form>;
export type ApplicationReceipt = z.output<typeof applicationReceipt>;
