// The three forms: their fields in the order in which they are shown, and where they are sent.
import { applicationFields, applicationForm } from "../application-fields.ts";
import type { Field, FieldGroup, FieldTable } from "../field-table.ts";
import { inquiryFields, inquiryForm } from "../inquiry-fields.ts";
import { subscriptionFields, subscriptionForm } from "../subscription-fields.ts";

/** The three forms, by the names of their elements: `<inquiry-form>` and so on. */
export type FormName = "inquiry" | "newsletter" | "application";

/** The names of the fields of all forms. */
export type FieldName = keyof typeof inquiryFields | keyof typeof subscriptionFields | keyof typeof applicationFields;

/** The table of fields behind each form. */
export const formTables: Readonly<Record<FormName, FieldTable>> = {
  inquiry: inquiryFields,
  newsletter: subscriptionFields,
  application: applicationFields,
};

/** The fields of each form in groups. */
export const formGroups: Readonly<Record<FormName, readonly FieldGroup<FieldName>[]>> = {
  inquiry: inquiryForm,
  newsletter: subscriptionForm,
  application: applicationForm,
};

/** A field with its name. */
export interface FormField extends Field {
  /** The name in the submission and in issues. */
  readonly name: FieldName;
}

/** A field of a form. */
export const fieldOf = (form: FormName, name: FieldName): FormField => ({ name, ...formTables[form][name]! });

/** The fields of a form without their groups. */
export const fieldsOf = (form: FormName): readonly FormField[] =>
  formGroups[form].flatMap(({ fields }) => fields.map((name) => fieldOf(form, name)));

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
