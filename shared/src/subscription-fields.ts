// The fields of a subscription that people fill in (field-table.ts says what each part is for). Its source comes from the page.
import { emailField, type FieldGroup, type FieldTable, type FormWords } from "./field-table.ts";
import type { Language } from "./language.ts";

/** The fields of a subscription. */
export const subscriptionFields = {
  email: { ...emailField, description: "The address to subscribe.", example: "reader@example.org" },
} as const satisfies FieldTable;

/** The order of the form. */
export const subscriptionForm: readonly FieldGroup<keyof typeof subscriptionFields>[] = [
  { title: null, fields: ["email"] },
];

/** What its form says. */
export const subscriptionWords: Readonly<Record<Language, FormWords>> = {
  en: { submit: "Subscribe", accepted: "Check your inbox", again: "Subscribe another address" },
  de: { submit: "Abonnieren", accepted: "Sehen Sie in Ihr Postfach", again: "Weitere Adresse anmelden" },
};
