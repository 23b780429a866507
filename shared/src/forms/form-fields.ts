// The fields of each form and their order. The rules of the submissions say what is refused; the strings hold the texts.

/** The three forms, by the names of their elements: `<inquiry-form>` and so on. */
export type FormName = "inquiry" | "newsletter" | "application";

/** How a field is shown. */
export type FieldKind = "text" | "email" | "tel" | "url" | "paragraphs" | "packages" | "file";

export interface FormField {
  /** The name in the submission and in issues. */
  readonly name: FieldName;
  readonly kind: FieldKind;
  readonly required?: true;
  /** How browsers fill it in (HTML 4.10.18.7). */
  readonly autocomplete?: string;
  /** Half a line wide where there is room. */
  readonly half?: true;
}

/** Fields that belong together; `title` names their heading among the strings. */
export interface FieldGroup {
  readonly title: "person" | "work" | "documents" | null;
  readonly fields: readonly FormField[];
}

export type FieldName =
  | "name"
  | "fullName"
  | "email"
  | "company"
  | "selectedPackageIds"
  | "position"
  | "phone"
  | "availability"
  | "accent"
  | "portfolioUrl"
  | "resumeUrl"
  | "coverLetter"
  | "resumeFile";

const email: FormField = { name: "email", kind: "email", required: true, autocomplete: "email" };
const company: FormField = { name: "company", kind: "text", autocomplete: "organization", half: true };

/** The fields of each form. */
export const formFields: Readonly<Record<FormName, readonly FieldGroup[]>> = {
  inquiry: [
    {
      title: null,
      fields: [
        { name: "selectedPackageIds", kind: "packages", required: true },
        { name: "name", kind: "text", required: true, autocomplete: "name", half: true },
        company,
        email,
      ],
    },
  ],
  newsletter: [{ title: null, fields: [email] }],
  application: [
    {
      title: "person",
      fields: [
        { name: "fullName", kind: "text", required: true, autocomplete: "name", half: true },
        company,
        { ...email, half: true },
        { name: "phone", kind: "tel", autocomplete: "tel", half: true },
      ],
    },
    {
      title: "work",
      fields: [
        { name: "position", kind: "text", required: true, autocomplete: "off" },
        { name: "accent", kind: "text", autocomplete: "off", half: true },
        { name: "availability", kind: "text", autocomplete: "off", half: true },
      ],
    },
    {
      title: "documents",
      fields: [
        { name: "resumeFile", kind: "file" },
        { name: "resumeUrl", kind: "url", autocomplete: "off", half: true },
        { name: "portfolioUrl", kind: "url", autocomplete: "url", half: true },
        { name: "coverLetter", kind: "paragraphs", autocomplete: "off" },
      ],
    },
  ],
};

/** The fields of a form without their groups. */
export const fieldsOf = (form: FormName): readonly FormField[] => formFields[form].flatMap(({ fields }) => fields);

/** The path of each form below the base address of the service. */
export const formPaths: Readonly<Record<FormName, string>> = {
  inquiry: "/api/marketplace/inquiry",
  newsletter: "/api/newsletter/subscribe",
  application: "/api/applications/submit",
};

/** The hidden field of a form without script that holds what programs send as the `Idempotency-Key` header. */
export const idempotencyKeyField = "idempotencyKey";

/**
 * The package identifiers that a form sent. Without a catalogue they are typed, one on each line. Identifiers hold no line
 * breaks, so those of ticked boxes are not changed.
 */
export const packageIdsOf = (sent: readonly string[]): string[] =>
  sent.flatMap((text) => text.split(/[\r\n]+/)).filter((id) => id.trim() !== "");
