// The forms: one for each kind of submission, and the newsletter's. Their fields stand in the order in which they are shown.
import type { Field, FieldGroup, FieldTable, FormWords } from "../field-table.ts";
import { kinds, type SubmissionKind } from "../kinds.ts";
import { subscriptionFields, subscriptionForm, subscriptionWords } from "../subscription-fields.ts";

/** The forms, by the names of their elements: `<inquiry-form>` and so on. */
export type FormName = SubmissionKind | "newsletter";

/** The names of the fields of all forms. */
export type FieldName =
  | { [Name in SubmissionKind]: keyof (typeof kinds)[Name]["fields"] }[SubmissionKind]
  | keyof typeof subscriptionFields;

/** What is known of a form. */
export interface Form {
  readonly words: { readonly en: FormWords };
  /** The procedure that takes it: `marketplace.inquiry`. */
  readonly procedure: string;
  /** Where it is sent, below the base address of the service. */
  readonly path: string;
  readonly fields: FieldTable;
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

/** A field with its name. */
export interface FormField extends Field {
  /** The name in the submission and in issues. */
  readonly name: FieldName;
}

/** A field of a form. */
export const fieldOf = (form: FormName, name: FieldName): FormField => ({ name, ...forms[form].fields[name]! });

/** The fields of a form without their groups. */
export const fieldsOf = (form: FormName): readonly FormField[] =>
  forms[form].form.flatMap(({ fields }) => fields.map((name) => fieldOf(form, name)));

/** The hidden field of a form without script that holds what programs send as the `Idempotency-Key` header. */
export const idempotencyKeyField = "idempotencyKey";

/**
 * The package identifiers that a form sent. Without a catalogue they are typed, one on each line. Identifiers hold no line
 * breaks, so those of ticked boxes are not changed.
 */
export const packageIdsOf = (sent: readonly string[]): string[] =>
  sent.flatMap((text) => text.split(/[\r\n]+/)).filter((id) => id.trim() !== "");
