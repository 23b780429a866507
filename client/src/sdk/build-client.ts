// Builds the client: tRPC's client over its own `httpLink`, with a `fetch` that makes typed errors (docs/adr/0012).
import { createTRPCClient, httpLink, TRPCClientError, type TRPCClient } from "@trpc/client";
import type { AppRouter } from "../router.ts";
import { applicationForm } from "./application-form.ts";
import type {
  ApplicationOptions,
  CallOptions,
  SubmissionsClientOptions,
  SubmissionsClient,
} from "./submissions-client.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { repeat, retryPolicy, type Clock } from "./retry.ts";
import { SubmissionError } from "./submission-error.ts";
import { keyHeader, post } from "./transport.ts";
import { canMeasureUploads, measuredUpload } from "./upload-progress.ts";

/** A client with its own clock and random numbers, for tests. */
export function buildClient(options: SubmissionsClientOptions, clock: Clock): SubmissionsClient {
  const url = endpointOf(options.url);
  const clientPolicy = retryPolicy(options.retry);
  // A content type of the caller is dropped: that of a form names the boundary in its body.
  const { "content-type": _, ...headers } = Object.fromEntries(new Headers(options.headers));
  // The global is looked up at each call, and called as a function: browsers refuse it as a method.
  const usual = options.fetch ?? ((...request) => fetch(...request));

  /** One submission: the same key and content in every try. */
  async function submit<Receipt>(
    { idempotencyKey: own, retry, signal }: CallOptions,
    call: (trpc: TRPCClient<AppRouter>) => Promise<Receipt>,
    onUploadProgress?: ApplicationOptions["onUploadProgress"],
  ): Promise<Receipt> {
    // No frame leads from an answer to the caller.
    const here = new Error();
    // A `fetch` of the caller must see every request.
    const isMeasured = onUploadProgress && !options.fetch && canMeasureUploads();
    const send = isMeasured ? measuredUpload(onUploadProgress) : usual;
    const trpc = createTRPCClient<AppRouter>({
      links: [
        httpLink({
          url,
          headers: { ...headers, [keyHeader]: idempotencyKey(own) },
          fetch: async (address, init) => {
            const answer = await post(send, address as string, { ...(init as RequestInit), signal: signal ?? null });
            return { ok: true, json: async () => answer };
          },
        }),
      ],
    });
    const once = () =>
      call(trpc).catch((error: unknown) => {
        const cause = error instanceof TRPCClientError ? error.cause : error;
        throw signal?.aborted && !(cause instanceof SubmissionError) ? signal.reason : cause;
      });
    try {
      return await repeat(once, retryPolicy(retry, clientPolicy), clock, signal);
    } catch (error) {
      // In V8 a stack begins with the name and the message.
      if (error instanceof SubmissionError && here.stack !== undefined)
        error.stack = here.stack.replace(/^Error:? *\n/, () => `${error.name}: ${error.message}\n`);
      throw error;
    }
  }

  return {
    marketplace: {
      inquiry: async (inquiry, own = {}) => {
        const input = copied({ ...own.further, ...inquiry, ...hiddenFields(own) });
        return submit(own, ({ marketplace }) => marketplace.inquiry.mutate(input));
      },
    },
    newsletter: {
      subscribe: async (subscription, own = {}) => {
        const input = copied({ ...subscription, ...hiddenFields(own) });
        return submit(own, ({ newsletter }) => newsletter.subscribe.mutate(input));
      },
    },
    applications: {
      submit: async (application, own = {}) => {
        // That of React Native.
        if (application instanceof FormData && typeof application.entries !== "function")
          throw new TypeError("This FormData has no entries(). Pass an object of fields.");
        const form = applicationForm(application, own.resumeFilename);
        for (const [name, text] of Object.entries(own.further ?? {})) if (!form.has(name)) form.set(name, text);
        for (const [name, text] of Object.entries(hiddenFields(own))) form.set(name, text);
        return submit(own, ({ applications }) => applications.submit.mutate(form), own.onUploadProgress);
      },
    },
  };
}

/** As it will be sent: the key stands for it, and the caller may change the object between two tries. */
const copied = <Input>(input: Input): Input => JSON.parse(JSON.stringify(input)) as Input;

/** What goes beside the fields. */
const hiddenFields = ({ consent, language, altcha }: CallOptions): Readonly<Record<string, string>> => ({
  ...(consent && { consentText: consent.text, consentPage: consent.page ?? "" }),
  ...(language && { lang: language }),
  ...(altcha && { altcha }),
});

/** Address of the typed door. */
function endpointOf(base: string | URL): string {
  // Relative addresses need a page or a worker; Node has neither.
  const url = URL.canParse(base, globalThis.location?.href) ? new URL(base, globalThis.location?.href) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new TypeError(
      `\`url\` must be the http or https address of the service, without query and fragment, and not ${JSON.stringify(String(base))}.`,
    );
  }
  return `${url.href.replace(/\/+$/, "")}/trpc`;
}
