// What can be submitted and what comes back, as the router has it. Types only: nothing of the server is in a bundle.
import type { AppRouter } from "@submissions/server/router";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

// The procedure takes ready forms too; those are another overload of the client's method.
type ApplicationFields = Exclude<Inputs["applications"]["submit"], { entries(): unknown }>;

/**
 * A buyer's question about dataset packages.
 *
 * @example
 * ```ts
 * const inquiry: Inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish"] };
 * ```
 */
export type Inquiry = Inputs["marketplace"]["inquiry"];

/** Answer to an {@link Inquiry}: a message for the buyer, the reference `INQ-…`, whether the receipt was mailed. */
export type InquiryReceipt = Outputs["marketplace"]["inquiry"];

/**
 * A newsletter subscription.
 *
 * @example
 * ```ts
 * const subscription: Subscription = { email: "reader@example.org", source: "footer" };
 * ```
 */
export type Subscription = Inputs["newsletter"]["subscribe"];

/** Answer to a {@link Subscription}: a message for the reader, the same for every address. */
export type SubscriptionReceipt = Outputs["newsletter"]["subscribe"];

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

/** Answer to an {@link Application}: a message for the applicant, the reference `APP-…`, whether the receipt was mailed. */
export type ApplicationReceipt = Outputs["applications"]["submit"];
