// Puts the client together: addresses, keys, bodies, tries. Time and chance are handed in, which is what tests come here
// for. It writes tRPC's requests itself (docs/adr/0012): a mutation is one POST, and tRPC's own client is three times as
// large as all of this.
import { applicationForm } from "./application-form.ts";
import type { ApplicationOptions, SubmissionsClientOptions } from "./client-options.ts";
import { byFetch } from "./exchange.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { repeat, retryPolicy, type Tempo } from "./retry.ts";
import type { SubmissionsClient } from "./submissions-client.ts";
import { keyHeader, send } from "./transport.ts";
import { byMeasuredUpload, canMeasureUploads } from "./upload-progress.ts";

/** A client in its own time. */
export function buildClient(options: SubmissionsClientOptions, tempo: Tempo): SubmissionsClient {
  const door = doorOf(options.url);
  // The content type is not the caller's to choose: a form's names the boundary that stands in its body.
  const { "content-type": _, ...headers } = Object.fromEntries(new Headers(options.headers));
  // The global is looked up at each call, and called as a function: browsers refuse it as somebody's method.
  const usual = byFetch(options.fetch ?? ((...request) => fetch(...request)));
  const clientPolicy = retryPolicy(options.retry);

  /** One submission. The body is settled before the first try, since the key stands for it. */
  async function submit<Receipt>(
    procedure: string,
    body: string | FormData | undefined,
    own: ApplicationOptions = {},
  ): Promise<Receipt> {
    const { signal, onUploadProgress } = own;
    const outgoing = {
      url: `${door}/${procedure}`,
      headers: {
        ...headers,
        ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
        [keyHeader]: idempotencyKey(own.idempotencyKey),
      },
      body,
      signal,
    };
    // A `fetch` of the caller's is there for a reason, and must not be gone around.
    const measured = onUploadProgress && !options.fetch && canMeasureUploads();
    const exchange = measured ? byMeasuredUpload(onUploadProgress) : usual;
    const attempt = () => send(exchange, outgoing) as Promise<Receipt>;
    return repeat(attempt, retryPolicy(own.retry, clientPolicy), tempo, signal);
  }

  // A caller may change an object or a form while the client waits. Texts and forms, files and all, can be sent any
  // number of times; no input is a stream.
  return {
    marketplace: {
      inquiry: async (inquiry, own) => submit("marketplace.inquiry", JSON.stringify(inquiry), own),
    },
    newsletter: {
      subscribe: async (subscription, own) => submit("newsletter.subscribe", JSON.stringify(subscription), own),
    },
    applications: {
      submit: async (application, own) =>
        submit("applications.submit", applicationForm(application, own?.resumeFilename), own),
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
