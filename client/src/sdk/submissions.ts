// What can be submitted and what comes back: the schemas' own types, which the router is made of. They are taken from
// the schemas so that the package's declarations stand alone (the server is not published, and what cannot be found
// silently becomes `any`); that they are the router's is checked where the client calls it. Types only.
import type { ApplicationReceipt, applicationInput } from "@submissions/shared/applications";
import type { InquiryReceipt, inquiryInput } from "@submissions/shared/marketplace";
import type { SubscribeReceipt, subscribeInput } from "@submissions/shared/newsletter";

export type { ApplicationReceipt, InquiryReceipt, SubscribeReceipt };

/** What a schema takes, before it cleans anything (as Standard Schema names it). */
type InputOf<Schema extends { readonly "~standard": { readonly types?: { readonly input: unknown } | undefined } }> =
  NonNullable<Schema["~standard"]["types"]>["input"];

// The schema takes ready forms too; here those are a type of their own.
type ApplicationFields = Exclude<InputOf<typeof applicationInput>, { entries(): unknown }>;

/**
 * A buyer's question about dataset packages.
 *
 * @example
 * ```ts
 * const inquiry: Inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish"] };
 * ```
 */
export type Inquiry = InputOf<typeof inquiryInput>;

/**
 * A newsletter subscription.
 *
 * @example
 * ```ts
 * const subscription: Subscription = { email: "reader@example.org", source: "footer" };
 * ```
 */
export type Subscription = InputOf<typeof subscribeInput>;

/**
 * A job application. Blank and undefined fields count as absent.
 *
 * @example
 * ```ts
 * const application: Application = {
 *   fullName: "Ana Souza",
 *   email: "ana@example.org",
 *   position: "Accent annotator",
 *   resumeFile: fileInput.files?.[0],
 * };
 * ```
 */
export interface Application extends Omit<ApplicationFields, "resumeFile"> {
  /** PDF, DOC or DOCX of at most 5 MiB (5,242,880 bytes), judged by its bytes. A `File` is a `Blob` with a name. */
  readonly resumeFile?: Blob | undefined;
}
