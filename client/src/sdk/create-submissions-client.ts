// The typed client of the submission interface, and all that the package exports. Runs wherever there is `fetch`:
// browsers, workers, Node 20 and later. It must not import anything of the server but types.
import type { AppRouter } from "@submissions/server/router";
import { createTRPCClient, httpLink, TRPCClientError } from "@trpc/client";
import { applicationForm } from "./application-form.ts";
import { SubmissionError } from "./submission-error.ts";
import type {
  Application,
  ApplicationReceipt,
  Inquiry,
  InquiryReceipt,
  Subscription,
  SubscribeReceipt,
} from "./submissions.ts";
import { transport } from "./transport.ts";

export type { FaultCode, Issue } from "@submissions/shared/faults";
export { SubmissionError };
export type { SubmissionErrorCode, SubmissionErrorFacts } from "./submission-error.ts";
export type { Application, ApplicationReceipt, Inquiry, InquiryReceipt, Subscription, SubscribeReceipt };

/** Where the service is and how to reach it. */
export interface SubmissionsClientOptions {
  /**
   * Base address of the service, `https://submissions.example.org`, without `/trpc`. In a browser it may be relative to
   * the page: `/` for the page's own origin. A page of another origin must be listed in the service's `CORS_ORIGINS`.
   */
  readonly url: string | URL;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Sent with every request. From another origin, browsers send only headers that the service's CORS answer allows. */
  readonly headers?: HeadersInit | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /**
   * Ends the call, which then rejects with the signal's reason, as `fetch` does: an `AbortError`, or a `TimeoutError` of
   * `AbortSignal.timeout`. Whether the submission arrived is unknown then.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of one application. */
export interface ApplicationOptions extends CallOptions {
  /**
   * What the resume is called. By default a `File`'s own name, and `resume` for a `Blob`. An extension must agree with
   * the file's bytes.
   */
  readonly resumeFilename?: string | undefined;
}

/**
 * The three submissions. One call is one request; nothing is batched or tried again. Every method rejects with a
 * {@link SubmissionError}, or with the reason of the caller's abort; mistakes of the calling program are TypeErrors.
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

/**
 * A client of the submission service.
 *
 * @example
 * ```ts
 * const submissions = createSubmissionsClient({ url: "https://submissions.example.org" });
 *
 * try {
 *   const receipt = await submissions.newsletter.subscribe({ email }, { signal: AbortSignal.timeout(30_000) });
 *   show(receipt.message);
 * } catch (error) {
 *   if (error instanceof SubmissionError) show(error.issue("email")?.message ?? error.message);
 *   else throw error;
 * }
 * ```
 *
 * @throws TypeError when `url` is not an http or https address, or a header is malformed
 */
export function createSubmissionsClient({ url, fetch: send, headers }: SubmissionsClientOptions): SubmissionsClient {
  const trpc = createTRPCClient<AppRouter>({
    links: [
      // A link without batches: each submission has a request, a status and a time-out of its own.
      httpLink({
        url: doorOf(url),
        // The global is looked up at each call, and called as a function: browsers refuse it as somebody's method.
        fetch: transport(send ?? ((...request) => fetch(...request))),
        headers: Object.fromEntries(new Headers(headers)),
      }),
    ],
  });
  return {
    marketplace: {
      inquiry: (inquiry, options) => call(options, (traits) => trpc.marketplace.inquiry.mutate(inquiry, traits)),
    },
    newsletter: {
      subscribe: (subscription, options) =>
        call(options, (traits) => trpc.newsletter.subscribe.mutate(subscription, traits)),
    },
    applications: {
      submit: (application, options) =>
        call(options, (traits) => {
          const form = applicationForm(application, options?.resumeFilename);
          return trpc.applications.submit.mutate(form, traits);
        }),
    },
  };
}

/** Address of the typed door. */
function doorOf(base: string | URL): string {
  // Pages and workers have an address that relative ones are taken from; Node has none.
  const url = new URL(base, globalThis.location?.href);
  if (!/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new TypeError("`url` must be an http or https address without query and fragment.");
  }
  return `${url.href.replace(/\/+$/, "")}/trpc`;
}

async function call<Receipt>(
  { signal }: CallOptions = {},
  procedure: (traits: { signal?: AbortSignal }) => Promise<Receipt>,
): Promise<Receipt> {
  try {
    return await procedure(signal === undefined ? {} : { signal });
  } catch (error) {
    // The tRPC client wraps whatever the transport throws, and aborts with a signal of its own that has lost the
    // caller's reason.
    const cause = error instanceof TRPCClientError ? error.cause : error;
    throw signal?.aborted && !(cause instanceof SubmissionError) ? signal.reason : cause;
  }
}
