// The fields of a subscription that people fill in (field-table.ts says what each part is for). Its source comes from the page.
import { emailField, type FieldGroup, type FieldTable, type FormWords } from "./field-table.ts";

/** The fields of a subscription. */
export const subscriptionFields = {
  email: { ...emailField, description: "The address to subscribe.", example: "reader@example.org" },
} as const satisfies FieldTable;

/** The order of the form. */
export const subscriptionForm: readonly FieldGroup<keyof typeof subscriptionFields>[] = [
  { title: null, fields: ["email"] },
];

/** What its form says in English. */
export const subscriptionWords: { readonly en: FormWords } = {
  en: { submit: "Subscribe", accepted: "Check your inbox", again: "Subscribe another address" },
};
