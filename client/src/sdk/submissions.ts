// What can be submitted and what comes back: the types of the schemas. They come from the schemas and not from the
// router, because the server is not published, and a type that cannot be found silently becomes `any`. A type test
// compares them with the router's. Types only.
import type { applicationInput, applicationReceipt } from "@submissions/shared/application";
import type { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import type { subscribeInput, subscribeReceipt } from "@submissions/shared/subscription";

/** A schema, as Standard Schema has it. */
interface Typed {
  readonly "~standard": { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}
/** What a schema accepts, before it cleans anything. */
type InputOf<Schema extends Typed> = NonNullable<Schema["~standard"]["types"]>["input"];
type OutputOf<Schema extends Typed> = NonNullable<Schema["~standard"]["types"]>["output"];

// The schema takes FormData too; here that is a type of its own. Told by `append`: the DOM library of TypeScript 5 has
// no `entries`.
type ApplicationFields = Exclude<InputOf<typeof applicationInput>, { append(name: string, value: string): void }>;

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

/**
 * What a buyer gets back.
 *
 * @example
 * ```ts
 * const { inquiryId }: InquiryReceipt = await submissions.marketplace.inquiry(inquiry);
 * show(`Please quote ${inquiryId}.`); // INQ-20261121-042137
 * ```
 */
export type InquiryReceipt = OutputOf<typeof inquiryReceipt>;

/**
 * What a subscriber gets back: the same for every address, known or not.
 *
 * @example
 * ```ts
 * const { message }: SubscribeReceipt = await submissions.newsletter.subscribe(subscription);
 * show(message);
 * ```
 */
export type SubscribeReceipt = OutputOf<typeof subscribeReceipt>;

/**
 * What an applicant gets back.
 *
 * @example
 * ```ts
 * const receipt: ApplicationReceipt = await submissions.applications.submit(application);
 * show(`Please quote ${receipt.applicationId}.`); // APP-20261121-907715
 * if (!receipt.confirmationEmailSent) show("The confirmation will follow by mail.");
 * ```
 */
export type ApplicationReceipt = OutputOf<typeof applicationReceipt>;

/** A field that a problem can be about: those of the submissions, and `altcha` where the service asks for a proof of work. */
export type FieldName = keyof Inquiry | keyof Subscription | keyof Application | "altcha";
