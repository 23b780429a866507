// The forms: one for each kind of submission, and the newsletter's. Their fields stand in the order in which they are shown.
import type { Field, FieldGroup, FieldKind, FieldWords, FormWords } from "../field-table.ts";
import { type Kind, kinds, type SubmissionKind } from "../kinds.ts";
import { subscriptionFields, subscriptionForm, subscriptionWords } from "../subscription-fields.ts";

/** The forms, by the names of their elements: `<inquiry-form>` and so on. */
export type FormName = SubmissionKind | "newsletter";

/** The names of the fields of all forms. */
export type FieldName =
  | { [Name in SubmissionKind]: keyof (typeof kinds)[Name]["fields"] }[SubmissionKind]
  | keyof typeof subscriptionFields;

/** A package or an option of a list, as people see it. */
export interface PackageChoice {
  readonly id: string;
  readonly title: string;
}

/** What is known of a form. */
export interface Form extends Pick<Kind, "procedure" | "path" | "fields"> {
  readonly words: { readonly en: FormWords };
  readonly form: readonly FieldGroup<FieldName>[];
}

/** Each form by its name: the row of its kind, and that of the newsletter. */
export const forms: Readonly<Record<FormName, Form>> = {
  ...kinds,
  newsletter: {
    words: subscriptionWords,
    procedure: "newsletter.subscribe",
    path: "/api/newsletter/subscribe",
    fields: subscriptionFields,
    form: subscriptionForm,
  },
};

/** The names of all forms. */
export const formNames = Object.keys(forms) as readonly FormName[];

/** A field as a form shows it. */
export interface FormField extends Pick<Field, "rule" | "autocomplete" | "half"> {
  /** The name in the submission and in issues. */
  readonly name: string;
  /** Of its control; those of fields of the page's own are numbered. */
  readonly id: string;
  readonly kind: FieldKind | "select" | "checkbox" | "hidden";
  /** Of a field of the page's own; those of ours stand among the form's texts. */
  readonly words?: FieldWords;
  readonly options?: readonly PackageChoice[] | undefined;
  readonly value?: string | undefined;
}

/** A field of a form. */
export const fieldOf = (form: FormName, name: FieldName): FormField => ({
  name,
  id: name,
  ...forms[form].fields[name]!,
});

/** The fields of a form without their groups. */
export const fieldsOf = (form: FormName): readonly FormField[] =>
  forms[form].form.flatMap(({ fields }) => fields.map((name) => fieldOf(form, name)));

/**
 * The package identifiers that a form sent. Without a catalogue they are typed, one on each line. Identifiers hold no line
 * breaks, so those of ticked boxes are not changed.
 */
export const packageIdsOf = (sent: readonly string[]): string[] =>
  sent.flatMap((text) => text.split(/[\r\n]+/)).filter((id) => id.trim() !== "");
