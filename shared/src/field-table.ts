// What a field of a submission is. Each kind has one table of its fields (inquiry-fields.ts and its siblings), from which
// limits, forms, notices, exports, the OpenAPI document and the console's detail are made. The zod schema is written out
// beside it, for its types. No zod here: the forms' script does without.
import { email } from "./addresses.ts";
import { optionalText, type TextRule } from "./text.ts";

/** What a form asks for a field with. Notices and the console show the value to match: a number that can be dialled, a letter. */
export type FieldKind = "text" | "email" | "tel" | "url" | "paragraphs" | "packages" | "file";

/** What a form says of a field. */
export interface FieldWords {
  readonly label: string;
  readonly hint?: string;
  /** The problem of a required field that is empty. */
  readonly missing?: string;
}

/** One field of a submission. */
export interface Field {
  readonly kind: FieldKind;
  /** How its text is read, its limit among it; that of one identifier for packages. Absent for a file. */
  readonly rule?: TextRule;
  /** What notices and the console call it. */
  readonly label: string;
  /** What forms say of it in English. Other languages have files of their own (languages/). */
  readonly en: FieldWords;
  /** What the OpenAPI document says of it. */
  readonly description: string;
  /** A value that the schema accepts as it is, for the OpenAPI document. A file has none. */
  readonly example?: string | readonly string[];
  /** How browsers fill it in (HTML 4.10.18.7). */
  readonly autocomplete?: string;
  /** Half a line wide in the form where there is room. */
  readonly half?: true;
  /** Its name in the record, where that is another: every kind has a `name` there. */
  readonly storedAs?: string;
}

/** The fields of a kind by their names in the request, in the order of its schema, its record and its notice. */
export type FieldTable = Readonly<Record<string, Field>>;

/** Fields that stand together in a form; `title` names their heading among the form's texts. */
export interface FieldGroup<Name extends string = string> {
  readonly title: "person" | "work" | "documents" | null;
  readonly fields: readonly Name[];
}

/** The name of the first field of a kind in a table; undefined: it has none. */
export const fieldOfKind = (table: FieldTable, kind: FieldKind): string | undefined =>
  Object.keys(table).find((name) => table[name]?.kind === kind);

/** An input with every field that has an example. */
export const exampleOf = (table: FieldTable): Readonly<Record<string, string | readonly string[]>> =>
  Object.fromEntries(Object.entries(table).flatMap(([name, { example }]) => (example ? [[name, example]] : [])));

/** The texts of a form beside those of its fields. */
export interface FormWords {
  /** Its button. */
  readonly submit: string;
  /** Heading of the receipt. */
  readonly accepted: string;
  /** The button that brings back an empty form. */
  readonly again: string;
}

/** The e-mail address of every kind. */
export const emailField = {
  kind: "email",
  rule: email,
  label: "E-mail",
  en: { label: "E-mail address", missing: "Enter your e-mail address." },
  description: "Where the receipt and the answer go.",
  autocomplete: "email",
} as const satisfies Field;

/** The company of a person; 200 code points are longer than legal names of companies. */
export const companyField = {
  kind: "text",
  rule: optionalText(200),
  label: "Company",
  en: { label: "Company" },
  autocomplete: "organization",
  half: true,
} as const satisfies Omit<Field, "description">;
