// Builds the client: tRPC's client, typed by the router, on our one link (docs/adr/0012). Tests pass their own
// clock and random numbers.
import { createTRPCClient, TRPCClientError } from "@trpc/client";
import type { AppRouter } from "../router.ts";
import { applicationForm } from "./application-form.ts";
import type { CallOptions, SubmissionsClientOptions } from "./client-options.ts";
import { byFetch } from "./exchange.ts";
import { retryPolicy, type Tempo } from "./retry.ts";
import { SubmissionError } from "./submission-error.ts";
import { handedDown, submissionLink, type Way } from "./submission-link.ts";
import type { SubmissionsClient } from "./submissions-client.ts";
import { byMeasuredUpload, canMeasureUploads } from "./upload-progress.ts";

/** A client with its own clock and random numbers. */
export function buildClient(options: SubmissionsClientOptions, tempo: Tempo): SubmissionsClient {
  const { marketplace, newsletter, applications } = createTRPCClient<AppRouter>({
    links: [submissionLink(wayOf(options, tempo))],
  });
  return {
    marketplace: {
      inquiry: (inquiry, own) =>
        unwrapped(() => marketplace.inquiry.mutate({ ...inquiry, ...told(own) }, handedDown(own))),
    },
    newsletter: {
      subscribe: (subscription, own) =>
        unwrapped(() => newsletter.subscribe.mutate({ ...subscription, ...told(own) }, handedDown(own))),
    },
    applications: {
      submit: (application, own) =>
        unwrapped(() => {
          const form = applicationForm(application, own?.resumeFilename);
          for (const [name, text] of Object.entries(told(own))) form.set(name, text);
          return applications.submit.mutate(form, handedDown(own));
        }),
    },
  };
}

/** What goes beside the fields. Named here too, because the client is made of its own files only. */
const told = ({ consent, language, altcha }: CallOptions = {}): Readonly<Record<string, string>> => ({
  ...(consent && { consentText: consent.text, consentPage: consent.page ?? "" }),
  ...(language && { lang: language }),
  ...(altcha && { altcha }),
});

function wayOf(options: SubmissionsClientOptions, tempo: Tempo): Way {
  // A content type of the caller is dropped: that of a form names the boundary in its body.
  const { "content-type": _, ...headers } = Object.fromEntries(new Headers(options.headers));
  // The global is looked up at each call, and called as a function: browsers refuse it as a method.
  const usual = byFetch(options.fetch ?? ((...request) => fetch(...request)));
  return {
    door: doorOf(options.url),
    headers,
    // A `fetch` of the caller must see every request.
    exchangeFor: ({ onUploadProgress }) =>
      onUploadProgress && !options.fetch && canMeasureUploads() ? byMeasuredUpload(onUploadProgress) : usual,
    policy: retryPolicy(options.retry),
    tempo,
  };
}

/** Address of the typed door. */
function doorOf(base: string | URL): string {
  // Relative addresses need a page or a worker; Node has neither.
  const url = URL.canParse(base, globalThis.location?.href) ? new URL(base, globalThis.location?.href) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new TypeError(
      `\`url\` must be the http or https address of the service, without query and fragment, and not ${JSON.stringify(String(base))}.`,
    );
  }
  return `${url.href.replace(/\/+$/, "")}/trpc`;
}

/** Calls, and throws what the link threw, without tRPC's error around it and with the stack of the call. */
async function unwrapped<Receipt>(call: () => Promise<Receipt>): Promise<Receipt> {
  const here = new Error();
  try {
    return await call();
  } catch (error) {
    const failure = error instanceof TRPCClientError ? error.cause : error;
    if (failure instanceof SubmissionError) failure.stack = stackOf(failure, here);
    throw failure;
  }
}

// The error is made after an answer, where no frame leads to the caller any more. In V8 a stack begins with the name and
// the message.
function stackOf(failure: SubmissionError, { stack = "" }: Error): string {
  const frames = stack.replace(/^Error:? *\n/, "");
  return frames === stack ? stack : `${failure.name}: ${failure.message}\n${frames}`;
}
