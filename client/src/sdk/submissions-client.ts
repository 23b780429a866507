// The interface of the client. Types only.
import type { ApplicationOptions, CallOptions } from "./client-options.ts";
import type {
  Application,
  ApplicationReceipt,
  Inquiry,
  InquiryReceipt,
  Subscription,
  SubscribeReceipt,
} from "./submissions.ts";

/**
 * The three submissions. One call is one submission: after no answer, or a failure that may pass, it is sent again with
 * the same key, and the service stores a key once. Every method rejects with a `SubmissionError`, that of the last try,
 * or with the reason of the caller's signal; mistakes of the calling program are TypeErrors.
 *
 * @example A part of a page that gets the client, and another one in tests
 * ```ts
 * function signUp({ newsletter }: SubmissionsClient) {
 *   return newsletter.subscribe({ email, source: "footer" });
 * }
 * ```
 */
export interface SubmissionsClient {
  readonly marketplace: {
    /**
     * Asks about dataset packages.
     *
     * @example
     * ```ts
     * const { inquiryId } = await submissions.marketplace.inquiry({
     *   name: "Ann Buyer",
     *   email: "ann@example.org",
     *   selectedPackageIds: ["en-GB-scottish", "de-AT"],
     * });
     * ```
     */
    inquiry(inquiry: Inquiry, options?: CallOptions): Promise<InquiryReceipt>;
  };
  readonly newsletter: {
    /**
     * Subscribes to the newsletter. Every address is answered alike, known or not.
     *
     * @example
     * ```ts
     * const { message } = await submissions.newsletter.subscribe({ email: "reader@example.org", source: "footer" });
     * ```
     */
    subscribe(subscription: Subscription, options?: CallOptions): Promise<SubscribeReceipt>;
  };
  readonly applications: {
    /**
     * Applies for a job, with a resume or without. Takes the fields or a form.
     *
     * @example From Node
     * ```ts
     * import { openAsBlob } from "node:fs";
     *
     * const { applicationId } = await submissions.applications.submit(
     *   {
     *     fullName: "Ana Souza",
     *     email: "ana@example.org",
     *     position: "Accent annotator",
     *     resumeFile: await openAsBlob("ana.pdf"),
     *   },
     *   { resumeFilename: "ana.pdf" },
     * );
     * ```
     *
     * @example From a form in a page
     * ```ts
     * await submissions.applications.submit(new FormData(formElement));
     * ```
     */
    submit(application: Application | FormData, options?: ApplicationOptions): Promise<ApplicationReceipt>;
  };
}
