// Puts the client together: addresses, keys, tries. Time and chance are handed in, which is what tests come here for. It
// must not import anything of the server but types.
import type { AppRouter } from "@submissions/server/router";
import { createTRPCClient, httpLink, TRPCClientError } from "@trpc/client";
import { applicationForm } from "./application-form.ts";
import type { CallOptions, SubmissionsClientOptions } from "./client-options.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { repeat, retryPolicy, type Tempo } from "./retry.ts";
import { SubmissionError } from "./submission-error.ts";
import type { SubmissionsClient } from "./submissions-client.ts";
import { keyHeader, transport } from "./transport.ts";

/** A client in its own time. */
export function buildClient(options: SubmissionsClientOptions, tempo: Tempo): SubmissionsClient {
  const { url, fetch: send, headers } = options;
  const fixedHeaders = Object.fromEntries(new Headers(headers));
  const trpc = createTRPCClient<AppRouter>({
    links: [
      // A link without batches: each submission has a request, a status and a key of its own.
      httpLink({
        url: doorOf(url),
        // The global is looked up at each call, and called as a function: browsers refuse it as somebody's method.
        fetch: transport(send ?? ((...request) => fetch(...request))),
        headers: ({ op }) => ({ ...fixedHeaders, [keyHeader]: String(op.context["key"]) }),
      }),
    ],
  });
  const clientPolicy = retryPolicy(options.retry);

  /** One submission. `procedure` sends it, each time the very same. */
  async function call<Receipt>(own: CallOptions = {}, procedure: Procedure<Receipt>): Promise<Receipt> {
    const policy = retryPolicy(own.retry, clientPolicy);
    const traits = { context: { key: idempotencyKey(own.idempotencyKey) }, ...(own.signal && { signal: own.signal }) };
    return repeat(() => unwrapped(procedure(traits), own.signal), policy, tempo, own.signal);
  }

  // What is sent is settled before the first try, since the key stands for it: a caller may change an object or a form
  // while the client waits. Texts and forms, files and all, can be sent any number of times; no input is a stream.
  return {
    marketplace: {
      inquiry: async (inquiry, own) => {
        const input = copyOf(inquiry);
        return call(own, (traits) => trpc.marketplace.inquiry.mutate(input, traits));
      },
    },
    newsletter: {
      subscribe: async (subscription, own) => {
        const input = copyOf(subscription);
        return call(own, (traits) => trpc.newsletter.subscribe.mutate(input, traits));
      },
    },
    applications: {
      submit: async (application, own) => {
        const form = applicationForm(application, own?.resumeFilename);
        return call(own, (traits) => trpc.applications.submit.mutate(form, traits));
      },
    },
  };
}

type Procedure<Receipt> = (traits: { signal?: AbortSignal; context: { key: string } }) => Promise<Receipt>;

/** Address of the typed door. */
function doorOf(base: string | URL): string {
  // Pages and workers have an address that relative ones are taken from; Node has none.
  const url = new URL(base, globalThis.location?.href);
  if (!/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new TypeError("`url` must be an http or https address without query and fragment.");
  }
  return `${url.href.replace(/\/+$/, "")}/trpc`;
}

/** The fields as they will arrive. Programs without types may hand over what JSON has no word for: nothing at all. */
function copyOf<Fields>(fields: Fields): Fields {
  const text = JSON.stringify(fields) as string | undefined;
  return text === undefined ? fields : (JSON.parse(text) as Fields);
}

async function unwrapped<Receipt>(answer: Promise<Receipt>, signal: AbortSignal | undefined): Promise<Receipt> {
  try {
    return await answer;
  } catch (error) {
    // The tRPC client wraps whatever the transport throws, and aborts with a signal of its own that has lost the
    // caller's reason.
    const cause = error instanceof TRPCClientError ? error.cause : error;
    throw signal?.aborted && !(cause instanceof SubmissionError) ? signal.reason : cause;
  }
}
