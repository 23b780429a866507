// The kinds of submissions that a team follows up: one row each. What depends on the kind reads its row; nothing else asks
// which kind it is. A subscription is no such kind: it has no reference, no team and no page. No zod here: the forms'
// script and the console read the rows too.
import { applicationFields, applicationForm, applicationPrefix, resumeField } from "./application-fields.ts";
import type { FieldGroup, FieldTable, FormWords } from "./field-table.ts";
import { inquiryFields, inquiryForm, inquiryPrefix } from "./inquiry-fields.ts";
import type { GreetingLanguage } from "./language.ts";
import type { Role } from "./roles.ts";

/** What forms and pages say of a kind in English. Other languages have files of their own (languages/). */
export interface KindWords extends FormWords {
  /** One of them: `Inquiry`. */
  readonly label: string;
  /** Several of them: `Inquiries`. */
  readonly plural: string;
  /** The message of the receipt. In English it is what the service answers, and what the forms translate. */
  readonly received: string;
}

/** What is known of a kind everywhere, in the browser too. */
export interface Kind {
  readonly words: { readonly en: KindWords };
  /** Within a reply, before the reference: `your inquiry`. */
  readonly yours: Readonly<Record<GreetingLanguage, string>>;
  /** Several of them in addresses, exports and settings: `inquiries`. */
  readonly plural: string;
  /** The person who sends one: `buyer`. */
  readonly person: string;
  /** The first three letters of its references. */
  readonly prefix: string;
  /** The name of the reference in receipts and exports. */
  readonly idName: string;
  /** The procedure that takes it: `marketplace.inquiry`. */
  readonly procedure: `${string}.${string}`;
  /** The REST path that takes it. */
  readonly path: `/${string}`;
  readonly fields: FieldTable;
  readonly form: readonly FieldGroup[];
  /** Whether a reply quotes what the person wrote, unless the operator says otherwise. */
  readonly quoted: boolean;
  /** The field that holds a file; null: it takes none. */
  readonly file: string | null;
  /** Whether it goes through the stages of `stages.ts`. */
  readonly staged: boolean;
  /** The role that follows it up, beside administrators. */
  readonly role: Role;
  /** Its icon in the console: the path of an SVG, strokes on a square of 20. */
  readonly icon: string;
}

/** Each kind by its name. The names are stored, so none is ever changed. */
export const kinds = {
  inquiry: {
    words: {
      en: {
        label: "Inquiry",
        plural: "Inquiries",
        submit: "Send inquiry",
        accepted: "Your inquiry has been sent",
        again: "Send another inquiry",
        received: "Thank you. We received your inquiry, and our sales team will contact you by e-mail.",
      },
    },
    yours: { en: "your inquiry", de: "Ihrer Anfrage" },
    plural: "inquiries",
    person: "buyer",
    prefix: inquiryPrefix,
    idName: "inquiryId",
    procedure: "marketplace.inquiry",
    path: "/api/marketplace/inquiry",
    fields: inquiryFields,
    form: inquiryForm,
    quoted: true,
    file: null,
    staged: false,
    role: "sales",
    icon: "M3.500 4.500h13v9h-7l-3.500 3v-3h-2.500z",
  },
  application: {
    words: {
      en: {
        label: "Application",
        plural: "Applications",
        submit: "Send application",
        accepted: "Your application has been sent",
        again: "Send another application",
        received: "Thank you. We received your application, and our team will contact you by e-mail.",
      },
    },
    yours: { en: "your application", de: "Ihrer Bewerbung" },
    plural: "applications",
    person: "applicant",
    prefix: applicationPrefix,
    idName: "applicationId",
    procedure: "applications.submit",
    path: "/api/applications/submit",
    fields: applicationFields,
    form: applicationForm,
    quoted: false,
    file: resumeField,
    staged: true,
    role: "recruiting",
    icon: "M3.500 7h13v9h-13zM7.500 7V4.500h5V7M3.500 11h13",
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type SubmissionKind = keyof typeof kinds;

/** The plurals of all kinds: names in addresses, exports and answers of the console. */
export type KindPlural = (typeof kinds)[SubmissionKind]["plural"];

/** The names that receipts and exports have for a reference. */
export type IdName = (typeof kinds)[SubmissionKind]["idName"];

/** The names of all kinds, in the order in which lists show them. */
export const submissionKinds = Object.keys(kinds) as readonly SubmissionKind[];

/** The row of a kind, where the differences between the rows' types do not matter. */
export const kindOf = (name: SubmissionKind): Kind => kinds[name];

/** The kinds that go through stages. */
export const stagedKinds = submissionKinds.filter((name) => kinds[name].staged);

/** The kind that a reference names by its prefix; undefined: the text is no reference of ours. */
export const kindOfReference = (reference: string): SubmissionKind | undefined =>
  submissionKinds.find((name) => reference.startsWith(`${kinds[name].prefix}-`));

/** The kind that has this plural; undefined: none. */
export const kindOfPlural = (plural: string): SubmissionKind | undefined =>
  submissionKinds.find((name) => kinds[name].plural === plural);

/** The kinds that a role sees. */
export const kindsOf = (role: Role): readonly SubmissionKind[] =>
  role === "admin" ? submissionKinds : submissionKinds.filter((name) => kinds[name].role === role);

/** The reference in a receipt; undefined: that of a subscription has none. */
export function referenceIn(receipt: Readonly<Partial<Record<IdName, string>>>): string | undefined {
  const named = submissionKinds.find((name) => receipt[kinds[name].idName] !== undefined);
  return named && receipt[kinds[named].idName];
}
