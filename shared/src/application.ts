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

export type ApplicationInput = z.output<Form>;
export type ApplicationReceipt = z.output<typeof applicationReceipt>;
