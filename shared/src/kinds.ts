// The kinds of submissions that a team follows up: one row each. What depends on the kind reads its row; nothing else asks
// which kind it is. A subscription is no such kind: it has no reference, no team and no page. No zod here: the forms'
// script and the console read the rows too.
import { applicationFields, applicationForm, applicationPrefix, resumeField } from "./application-fields.ts";
import type { FieldGroup, FieldTable } from "./field-table.ts";
import { inquiryFields, inquiryForm, inquiryPrefix } from "./inquiry-fields.ts";
import type { Language } from "./language.ts";
import type { Role } from "./roles.ts";

/** What forms and pages call a kind, in one language. */
export interface KindWords {
  /** One of them: `Inquiry`. */
  readonly label: string;
  /** Several of them: `Inquiries`. */
  readonly plural: string;
  /** Within a reply, before the reference: `your inquiry`. */
  readonly yours: string;
}

/** What is known of a kind everywhere, in the browser too. */
export interface Kind {
  readonly words: Readonly<Record<Language, KindWords>>;
  /** Several of them in addresses, exports and settings: `inquiries`. */
  readonly plural: string;
  /** The person who sends one: `buyer`. */
  readonly person: string;
  /** The first three letters of its references. */
  readonly prefix: string;
  /** The name of the reference in receipts and exports. */
  readonly idName: string;
  /** The procedure that takes it: `marketplace.inquiry`. */
  readonly procedure: string;
  /** The REST path that takes it. */
  readonly path: string;
  readonly fields: FieldTable;
  readonly form: readonly FieldGroup[];
  /** The field that holds a file; null: it takes none. */
  readonly file: string | null;
  /** The role that follows it up, beside administrators. */
  readonly role: Role;
}

/** Each kind by its name. The names are stored, so none is ever changed. */
export const kinds = {
  inquiry: {
    words: {
      en: { label: "Inquiry", plural: "Inquiries", yours: "your inquiry" },
      de: { label: "Anfrage", plural: "Anfragen", yours: "Ihrer Anfrage" },
    },
    plural: "inquiries",
    person: "buyer",
    prefix: inquiryPrefix,
    idName: "inquiryId",
    procedure: "marketplace.inquiry",
    path: "/api/marketplace/inquiry",
    fields: inquiryFields,
    form: inquiryForm,
    file: null,
    role: "sales",
  },
  application: {
    words: {
      en: { label: "Application", plural: "Applications", yours: "your application" },
      de: { label: "Bewerbung", plural: "Bewerbungen", yours: "Ihrer Bewerbung" },
    },
    plural: "applications",
    person: "applicant",
    prefix: applicationPrefix,
    idName: "applicationId",
    procedure: "applications.submit",
    path: "/api/applications/submit",
    fields: applicationFields,
    form: applicationForm,
    file: resumeField,
    role: "recruiting",
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type SubmissionKind = keyof typeof kinds;

/** The names of all kinds, in the order in which lists show them. */
export const submissionKinds = Object.keys(kinds) as readonly SubmissionKind[];

/** The row of a kind, where the differences between the rows' types do not matter. */
export const kindOf = (name: SubmissionKind): Kind => kinds[name];

/** The kind that a reference names by its prefix; undefined: the text is no reference of ours. */
export const kindOfReference = (reference: string): SubmissionKind | undefined =>
  submissionKinds.find((name) => reference.startsWith(`${kinds[name].prefix}-`));

/** The kinds that a role sees. */
export const kindsOf = (role: Role): readonly SubmissionKind[] =>
  role === "admin" ? submissionKinds : submissionKinds.filter((name) => kinds[name].role === role);
