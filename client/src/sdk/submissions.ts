// What can be submitted and what comes back. The types do not come from the router, because the server is not published,
// and a type that cannot be found silently becomes `any`. A type test compares them with the router's. Types only.
import type { ApplicationInput, applicationReceipt } from "@submissions/shared/application";
import type { InquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
import type { SubscribeInput, subscribeReceipt } from "@submissions/shared/subscription";

/** A schema, as Standard Schema has it. */
interface Typed {
  readonly "~standard": { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}
type OutputOf<Schema extends Typed> = NonNullable<Schema["~standard"]["types"]>["output"];

/**
 * A buyer's question about dataset packages.
 *
 * @example
 * ```ts
 * const inquiry: Inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish"] };
 * ```
 */
export type Inquiry = InquiryInput;

/**
 * A newsletter subscription.
 *
 * @example
 * ```ts
 * const subscription: Subscription = { email: "reader@example.org", source: "footer" };
 * ```
 */
export type Subscription = SubscribeInput;

/**
 * A job application. Blank, null and undefined fields count as absent.
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
export type Application = ApplicationInput;

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

/**
 * A field that a problem can be about: those of the submissions, and `altcha` where the service asks for a proof of work.
 *
 * @example
 * ```ts
 * import type { FieldName } from "@submissions/client";
 *
 * const wrong: readonly FieldName[] = ["email", "selectedPackageIds"];
 * ```
 */
export type FieldName = keyof Inquiry | keyof Subscription | keyof Application | "altcha";
