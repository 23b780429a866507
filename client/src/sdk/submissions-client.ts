// What the client can do. Types only.
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
 * The three submissions. One call is one submission: when no answer comes, or one that may pass, it is sent again with
 * the same key, and the service answers a key once. Every method rejects with a `SubmissionError`, the last one if
 * there were several, or with the reason of the caller's abort; mistakes of the calling program are TypeErrors.
 *
 * @example A part of a page that is handed the client, and can be handed another one in tests
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
     * Subscribes to the newsletter. Every address is answered alike, subscribed before or not.
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
     * Applies for a job, with a resume or without. Takes the fields, or a form that is ready.
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
