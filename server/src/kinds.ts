// What the server alone knows of each kind of submission, beside its row in shared/src/kinds.ts. Imports only shared, so that
// every layer can read it.
import { applicationInput, applicationReceipt } from "@submissions/shared/application";
import { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import { type kinds, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import type { z } from "zod";

/** The names of a kind's fields in the request. */
type FieldOf<Kind extends SubmissionKind> = keyof (typeof kinds)[Kind]["fields"] & string;

/** @typeParam Field the names of its fields in the request */
export interface ServerKind<Field extends string = string> {
  readonly input: z.ZodType;
  readonly receipt: z.ZodType;
  /** Names of settings (config/settings.ts): the team's addresses, and the days after which submissions are erased. */
  readonly settings: { readonly team: string; readonly retention: string };
  /** The fields that a list shows of one; blank ones are left out. */
  readonly summary: readonly Field[];
  /** The CSV columns of its fields, before and behind those of every submission. A new one goes to the end of the latter. */
  readonly columns: { readonly before: readonly Field[]; readonly behind: readonly Field[] };
}

export const serverKinds = {
  inquiry: {
    input: inquiryInput,
    receipt: inquiryReceipt,
    settings: { team: "SALES_EMAIL", retention: "RETENTION_DAYS_INQUIRIES" },
    summary: ["selectedPackageIds"],
    columns: { before: ["name", "company", "email", "selectedPackageIds"], behind: [] },
  },
  application: {
    input: applicationInput,
    receipt: applicationReceipt,
    settings: { team: "RECRUITING_EMAIL", retention: "RETENTION_DAYS_APPLICATIONS" },
    summary: ["position", "coverLetter"],
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

/** What the schema of a kind makes of an input. */
export type InputOf<Kind extends SubmissionKind> = z.output<(typeof serverKinds)[Kind]["input"]>;

/** A value for each kind, by its name. */
export const ofKinds = <Value>(valueOf: (kind: SubmissionKind) => Value): Readonly<Record<SubmissionKind, Value>> =>
  Object.fromEntries(submissionKinds.map((kind) => [kind, valueOf(kind)])) as Record<SubmissionKind, Value>;
