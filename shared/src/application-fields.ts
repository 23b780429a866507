// The fields of an application (field-table.ts says what each part is for).
import { optionalWebUrl } from "./addresses.ts";
import { companyField, emailField, type FieldGroup, type FieldTable } from "./field-table.ts";
import { optionalMultilineText, optionalPhone, optionalText, personName, requiredText } from "./text.ts";

/** What the references of applications begin with. */
export const applicationPrefix = "APP";

/** The fields of an application. */
export const applicationFields = {
  fullName: {
    kind: "text",
    rule: personName,
    label: "Full name",
    en: { label: "Full name", missing: "Enter your full name." },
    description: "The applicant's full name.",
    example: "Ana Souza",
    autocomplete: "name",
    half: true,
    storedAs: "name",
  },
  email: { ...emailField, example: "ana@example.org", half: true },
  position: {
    kind: "text",
    rule: requiredText(200),
    label: "Position",
    en: { label: "Position you apply for", missing: "Enter the position you apply for." },
    description: "The position applied for.",
    example: "Accent annotator",
    autocomplete: "off",
  },
  phone: {
    kind: "tel",
    rule: optionalPhone,
    label: "Telephone",
    en: { label: "Telephone" },
    description: "A telephone number.",
    example: "+351 912 345 678",
    autocomplete: "tel",
    half: true,
  },
  company: { ...companyField, description: "The present employer.", example: "Example Studio" },
  availability: {
    kind: "text",
    rule: optionalText(500),
    label: "Availability",
    en: { label: "Availability", hint: "From when, and hours a week" },
    description: "When work could begin.",
    example: "From March, 20 hours a week",
    autocomplete: "off",
    half: true,
  },
  accent: {
    kind: "text",
    rule: optionalText(200),
    label: "Accent",
    en: { label: "Accent or variety", hint: "For example Scottish English" },
    description: "The applicant's accent or variety.",
    example: "Portuguese (Lisbon)",
    autocomplete: "off",
    half: true,
  },
  portfolioUrl: {
    kind: "url",
    rule: optionalWebUrl,
    label: "Portfolio",
    en: { label: "Portfolio", hint: "For example https://example.org/ana" },
    description: "A portfolio. Stored as text, never fetched.",
    example: "https://ana.example.org/work",
    autocomplete: "url",
    half: true,
  },
  resumeUrl: {
    kind: "url",
    rule: optionalWebUrl,
    label: "Resume elsewhere",
    en: { label: "Link to your resume", hint: "For example https://example.org/cv" },
    description: "A resume kept elsewhere. Stored as text, never fetched.",
    example: "https://ana.example.org/resume.pdf",
    autocomplete: "off",
    half: true,
  },
  coverLetter: {
    kind: "paragraphs",
    // Some ten printed pages.
    rule: optionalMultilineText(20_000),
    label: "Cover letter",
    en: { label: "Cover letter" },
    description: "Free text; line breaks and tabs are kept.",
    example: "Dear team,\n\nI have annotated speech for six years.",
    autocomplete: "off",
  },
  resumeFile: {
    kind: "file",
    label: "Resume",
    en: { label: "Resume", hint: "PDF, DOC or DOCX, at most 5 MB" },
    description: "PDF, DOC or DOCX, judged by its bytes; at most 5 MiB.",
  },
} as const satisfies FieldTable;

/** The order of the form. */
export const applicationForm: readonly FieldGroup<keyof typeof applicationFields>[] = [
  { title: "person", fields: ["fullName", "company", "email", "phone"] },
  { title: "work", fields: ["position", "accent", "availability"] },
  { title: "documents", fields: ["resumeFile", "resumeUrl", "portfolioUrl", "coverLetter"] },
];

/** The field that may name an opening. */
export const positionField = "position" satisfies keyof typeof applicationFields;

/** The field that holds the file; every other field is text. */
export const resumeField = "resumeFile" satisfies keyof typeof applicationFields;
