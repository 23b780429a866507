// The interface of the client, and its options. Types only.
import type {
  Application,
  ApplicationReceipt,
  Inquiry,
  InquiryReceipt,
  Subscription,
  SubscribeReceipt,
} from "./submissions.ts";
import type { RetryOptions } from "./retry.ts";
import type { UploadProgress } from "./upload-progress.ts";

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

/**
 * Where the service is and how to reach it.
 *
 * @example
 * ```ts
 * createSubmissionsClient({ url: "https://submissions.example.org", retry: { tries: 2 } });
 * createSubmissionsClient({ url: "/" }); // in a page that the service itself serves
 * ```
 */
export interface SubmissionsClientOptions {
  /**
   * Base address of the service, `https://submissions.example.org`, without `/trpc`. In a browser it may be relative to
   * the page: `/` for the page's own origin. A page of another origin must be listed in the service's `CORS_ORIGINS`.
   */
  readonly url: string | URL;
  /** Used instead of the global `fetch`, for everything that is sent. */
  readonly fetch?: typeof fetch | undefined;
  /** Sent with every request. From another origin, browsers send only headers that the service's CORS answer allows. */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  /** How often and how long submissions are sent again; `false` for never. */
  readonly retry?: RetryOptions | false | undefined;
}

/**
 * Options of one call.
 *
 * @example A form that keeps its key, so that neither a double click nor a reload of the page makes a second submission
 * ```ts
 * const idempotencyKey = (sessionStorage["inquiryKey"] ??= crypto.randomUUID());
 * await submissions.marketplace.inquiry(inquiry, { idempotencyKey });
 * sessionStorage.removeItem("inquiryKey"); // The next inquiry is another one.
 * ```
 */
export interface CallOptions {
  /**
   * Calls with the same key and the same content are one submission with one receipt, for 24 hours; the same key with
   * other content is refused (`UNPROCESSABLE_CONTENT`). 1 to 255 printable ASCII characters. By default every call has a
   * random one, which all of its tries share.
   */
  readonly idempotencyKey?: string | undefined;
  /** How often and how long this submission is sent again; `false` for never. What it leaves out is as the client has it. */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * Ends the call, also while it waits for its next try. It then rejects with the signal's reason, as `fetch` does: an
   * `AbortError`, or a `TimeoutError` of `AbortSignal.timeout`. Whether the submission arrived is unknown then.
   */
  readonly signal?: AbortSignal | undefined;
  /** Which privacy notice the person was shown; it is kept with the submission. */
  readonly consent?: Consent | undefined;
  /** Further fields of an inquiry or application, `message` among them: at most 20 texts. Names of its own fields are left out. */
  readonly further?: Readonly<Record<string, string>> | undefined;
  /** The language of the form: of the mails and pages that the person gets. English unless told. */
  readonly language?: string | undefined;
  /**
   * The solution of a challenge, where the service asks for proofs of work, as ALTCHA's widget gives it. It is good for one
   * submission, with all of its tries.
   */
  readonly altcha?: string | undefined;
}

/**
 * The privacy notice beside a form of your own.
 *
 * @example
 * ```ts
 * await submissions.newsletter.subscribe({ email }, { consent: { text: "2026-11", page: location.href } });
 * ```
 */
export interface Consent {
  /** Its version, at most 100 code points. */
  readonly text: string;
  /** The address of the page that showed it; kept without query and fragment. */
  readonly page?: string | undefined;
}

/**
 * Options of one application.
 *
 * @example
 * ```ts
 * await submissions.applications.submit(application, {
 *   resumeFilename: "ana.pdf",
 *   signal: leaving.signal,
 * });
 * ```
 */
export interface ApplicationOptions extends CallOptions {
  /**
   * The name of the resume. By default a `File`'s own name, and `resume` for a `Blob`. An extension must agree with the
   * bytes of the file.
   */
  readonly resumeFilename?: string | undefined;
  /**
   * Called with the progress of the upload; each further try begins at the beginning. The answer comes some time after the
   * last byte. Only browsers measure uploads, in pages and dedicated workers (`XMLHttpRequest`), and not those of a `fetch`
   * of your own; elsewhere it is never called.
   */
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}
