// What the server alone knows of each kind of submission, beside its row in shared/src/kinds.ts. Imports only shared, so that
// every layer can read it.
import { applicationInput, applicationReceipt } from "@submissions/shared/application";
import { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import { type kinds, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import type { z } from "zod";

/** The names of a kind's fields in the request. */
type FieldOf<Kind extends SubmissionKind> = keyof (typeof kinds)[Kind]["fields"] & string;

/** What the site's pages say of a form. */
export interface FormPage {
  /** Where the form stands on the front page. */
  readonly anchor: string;
  /** In English. */
  readonly words: {
    /** In the navigation. */
    readonly section: string;
    /** On the page after it was accepted. */
    readonly thanks: string;
    /** Heading of the page that shows it again, because it was refused. */
    readonly notSent: string;
  };
  /** Beside it on the front page, which is in English. */
  readonly front: { readonly heading: string; readonly text: string; readonly more?: string };
}

/** @typeParam Field the names of its fields in the request */
export interface ServerKind<Field extends string = string> {
  readonly input: z.ZodType;
  readonly receipt: z.ZodType;
  /** What the OpenAPI document says of taking one. */
  readonly operation: { readonly operationId: string; readonly summary: string; readonly description: string };
  /** Values that its schema refuses, for the examples of that document. */
  readonly mistakes: { readonly [Name in Field]?: unknown };
  readonly page: FormPage;
  /** Names of settings (config/settings.ts): the team's addresses, and the days after which submissions are erased. */
  readonly settings: { readonly team: string; readonly retention: string };
  /** The fields that a list shows of one; blank ones are left out. */
  readonly summary: readonly Field[];
  /** The fields that a list by stages shows of one, each by itself. */
  readonly facts: readonly Field[];
  /** The CSV columns of its fields, before and behind those of every submission. A new one goes to the end of the latter. */
  readonly columns: { readonly before: readonly Field[]; readonly behind: readonly Field[] };
}

export const serverKinds = {
  inquiry: {
    input: inquiryInput,
    receipt: inquiryReceipt,
    operation: {
      operationId: "submitInquiry",
      summary: "Ask about dataset packages",
      description: "Stores a buyer's inquiry, mails a receipt to the buyer and a notice to the sales team.",
    },
    mistakes: { email: "ann@example", selectedPackageIds: [] },
    page: {
      anchor: "inquiry",
      words: {
        section: "Inquiry",
        thanks: "Thank you. Our sales team will contact you by e-mail.",
        notSent: "Your inquiry has not been sent yet",
      },
      front: {
        heading: "Ask about packages",
        text: "Tick what you are interested in. You get samples, statistics of the speakers, and an offer for exactly these packages.",
        more: "A person answers, by e-mail.",
      },
    },
    settings: { team: "SALES_EMAIL", retention: "RETENTION_DAYS_INQUIRIES" },
    summary: ["selectedPackageIds"],
    facts: [],
    columns: { before: ["name", "company", "email", "selectedPackageIds"], behind: [] },
  },
  application: {
    input: applicationInput,
    receipt: applicationReceipt,
    operation: {
      operationId: "submitApplication",
      summary: "Apply for a job",
      description:
        "Stores an application and its resume, mails a receipt to the applicant and a notice to the recruiting team. " +
        "A resume needs multipart/form-data; without one, JSON and URL-encoded forms are taken too.",
    },
    mistakes: { fullName: "", portfolioUrl: "ana.example.org" },
    page: {
      anchor: "careers",
      words: {
        section: "Careers",
        thanks: "Thank you. Our recruiting team will read it and contact you by e-mail.",
        notSent: "Your application has not been sent yet",
      },
      front: {
        heading: "Work with us",
        text: "We look for people with a good ear: annotators, speakers and engineers. Every accent is an advantage here, yours too.",
        more: "A resume helps. You can also simply tell us about yourself.",
      },
    },
    settings: { team: "RECRUITING_EMAIL", retention: "RETENTION_DAYS_APPLICATIONS" },
    summary: ["position"],
    facts: ["position", "accent", "availability"],
    columns: {
      before: [
        ...(["fullName", "email", "position", "phone", "company"] as const),
        ...(["availability", "accent", "portfolioUrl", "resumeUrl", "coverLetter"] as const),
      ],
      behind: [],
    },
  },
} as const satisfies { readonly [Kind in SubmissionKind]: ServerKind<FieldOf<Kind>> };

/** The row of a kind, where the differences between the rows' types do not matter. */
export const serverKindOf = (kind: SubmissionKind): ServerKind => serverKinds[kind];

export type InputOf<Kind extends SubmissionKind> = z.output<(typeof serverKinds)[Kind]["input"]>;

export type ReceiptOf<Kind extends SubmissionKind> = z.output<(typeof serverKinds)[Kind]["receipt"]>;

export const ofKinds = <Value>(valueOf: (kind: SubmissionKind) => Value): Readonly<Record<SubmissionKind, Value>> =>
  Object.fromEntries(submissionKinds.map((kind) => [kind, valueOf(kind)])) as Record<SubmissionKind, Value>;
