// Puts the client together: tRPC's client, typed by the router, over the one link of ours (docs/adr/0012). Time and chance
// are handed in, which is what tests come here for. It must not import anything of the server but types.
import type { AppRouter } from "@submissions/server/router";
import { createTRPCClient, TRPCClientError } from "@trpc/client";
import { applicationForm } from "./application-form.ts";
import type { SubmissionsClientOptions } from "./client-options.ts";
import { byFetch } from "./exchange.ts";
import { retryPolicy, type Tempo } from "./retry.ts";
import { handedDown, submissionLink, type Way } from "./submission-link.ts";
import type { SubmissionsClient } from "./submissions-client.ts";
import { byMeasuredUpload, canMeasureUploads } from "./upload-progress.ts";

/** A client in its own time. */
export function buildClient(options: SubmissionsClientOptions, tempo: Tempo): SubmissionsClient {
  const { marketplace, newsletter, applications } = createTRPCClient<AppRouter>({
    links: [submissionLink(wayOf(options, tempo))],
  });
  return {
    marketplace: {
      inquiry: async (inquiry, own) => unwrapped(marketplace.inquiry.mutate(inquiry, handedDown(own))),
    },
    newsletter: {
      subscribe: async (subscription, own) => unwrapped(newsletter.subscribe.mutate(subscription, handedDown(own))),
    },
    applications: {
      submit: async (application, own) => {
        const form = applicationForm(application, own?.resumeFilename);
        return unwrapped(applications.submit.mutate(form, handedDown(own)));
      },
    },
  };
}

function wayOf(options: SubmissionsClientOptions, tempo: Tempo): Way {
  // The content type is not the caller's to choose: a form's names the boundary that stands in its body.
  const { "content-type": _, ...headers } = Object.fromEntries(new Headers(options.headers));
  // The global is looked up at each call, and called as a function: browsers refuse it as somebody's method.
  const usual = byFetch(options.fetch ?? ((...request) => fetch(...request)));
  return {
    door: doorOf(options.url),
    headers,
    // A `fetch` of the caller's is there for a reason, and must not be gone around.
    exchangeFor: ({ onUploadProgress }) =>
      onUploadProgress && !options.fetch && canMeasureUploads() ? byMeasuredUpload(onUploadProgress) : usual,
    policy: retryPolicy(options.retry),
    tempo,
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

/** What the link throws is what the caller gets, without what tRPC's client wraps around it. */
async function unwrapped<Receipt>(answer: Promise<Receipt>): Promise<Receipt> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof TRPCClientError ? error.cause : error;
  }
}
