// A job application, with or without a resume file: what an applicant sends and gets back.
import { z } from "zod";
import { zfd } from "zod-form-data";
import { optional, required } from "./fields.ts";
import { applicationReference } from "./reference.ts";
import { applicationRules as rules } from "./rules.ts";

/** The form field that holds the file; every other field is text. */
export const resumeField = "resumeFile";

const shape = {
  fullName: required(rules.fullName).meta({ description: "The applicant's full name.", examples: ["Ana Souza"] }),
  email: required(rules.email).meta({
    description: "Where the receipt and the answer go.",
    examples: ["ana@example.org"],
  }),
  position: required(rules.position).meta({
    description: "The position applied for.",
    examples: ["Accent annotator"],
  }),
  phone: optional(rules.phone).meta({ description: "A telephone number.", examples: ["+351 912 345 678"] }),
  company: optional(rules.company).meta({
    description: "The present employer.",
  }),
  availability: optional(rules.availability).meta({
    description: "When work could begin.",
  }),
  accent: optional(rules.accent).meta({
    description: "The applicant's accent or variety.",
  }),
  portfolioUrl: optional(rules.portfolioUrl).meta({ description: "A portfolio. Stored as text, never fetched." }),
  resumeUrl: optional(rules.resumeUrl).meta({
    description: "A resume kept elsewhere. Stored as text, never fetched.",
  }),
  coverLetter: optional(rules.coverLetter).meta({
    description: "Free text; line breaks and tabs are kept.",
  }),
  [resumeField]: zfd
    .file(z.file("A file belongs here.").optional())
    .meta({ description: "PDF, DOC or DOCX, judged by its bytes; at most 5 MiB." }),
} as const;

/** Names of the text fields. Forms are reduced to these names before zod-form-data builds paths from them. */
export const applicationTextFields = Object.keys(shape).filter((name) => name !== resumeField);

// Written out, because zod-form-data's own type names a type that only the DOM library declares.
type Fields = z.ZodObject<typeof shape>;
type Form = z.ZodPipe<z.ZodTransform<Fields, FormData | z.input<Fields>>, Fields>;

/**
 * Body of `applications.submit`: `FormData`, or the same fields as a plain object without the file. Unknown fields are
 * ignored.
 */
// zod-form-data throws a TypeError for anything else, so anything else becomes an object without fields.
export const applicationInput = z.preprocess(
  (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}),
  zfd.formData(shape),
) as unknown as Form;

/** What the applicant gets back. */
export const applicationReceipt = z.object({
  message: z.string().meta({ description: "Safe to show to the person.", maxLength: 200 }),
  applicationId: applicationReference.meta({ description: "The reference to quote." }),
  confirmationEmailSent: z.boolean().meta({
    description: "Whether the mail provider took the receipt before this answer; if not, it is still being tried.",
  }),
});

export type ApplicationInput = z.output<Form>;
export type ApplicationReceipt = z.output<typeof applicationReceipt>;
