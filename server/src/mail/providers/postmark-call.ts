// One call of Postmark's API, as it really went. The client library writes the request; the answer is watched here, because
// the library takes an empty answer for a success and hides `Retry-After`. Knows nothing of what an answer means.
import { Errors, ServerClient } from "postmark";
import { readRetryAfter, type Exchange } from "./postmark-verdict.ts";

/** How to reach Postmark. */
export interface PostmarkSettings {
  /** The server token; never logged. */
  readonly token: string;
  /** Another base address than Postmark's own: `http(s)://host[:port]`. */
  readonly apiUrl?: string | undefined;
  /** `outbound` unless named. */
  readonly messageStream?: string | undefined;
  /** How long a batch may take in all, in milliseconds; as long as a mailer may unless said otherwise. */
  readonly timeoutMs?: number | undefined;
}

/** An answer to 500 mails is about 100 KB; more is not from Postmark. */
const answerBytesMax = 1024 * 1024;

/**
 * Makes the call that `use` makes of the client, and ends it at a time of `performance.now()`. Rejects only if nothing
 * left this machine.
 */
export async function callPostmark(
  { token, apiUrl }: PostmarkSettings,
  endsAt: number,
  use: (client: ServerClient) => Promise<unknown>,
): Promise<Exchange> {
  const msLeft = Math.max(Math.ceil(endsAt - performance.now()), 1);
  const watch = new Watch(AbortSignal.timeout(msLeft));
  const client = new ServerClient(token, {
    ...host(apiUrl),
    // Seconds, and whole ones: a fraction can come out as a fraction of a millisecond, which no timer takes. The watch
    // ends the call before this does.
    timeout: Math.ceil(msLeft / 1000) + 1,
    fetch: (url, init) => watch.fetch(url, init),
  });
  try {
    await use(client);
  } catch (error) {
    // Every refusal and every failed fetch; the watch has seen more of it than the error tells.
    if (!(error instanceof Errors.PostmarkError) && !watch.begun) throw error;
  }
  return watch.exchange;
}

function host(apiUrl: string | undefined) {
  if (apiUrl === undefined) return {};
  const url = new URL(apiUrl);
  return { useHttps: url.protocol === "https:", requestHost: url.host + url.pathname.replace(/\/+$/, "") };
}

/** Fetches for the client library and remembers what really came back. */
class Watch {
  exchange: Exchange = { status: null, retryAfterMs: null, body: null, failure: null };
  /** Whether a request was made. */
  begun = false;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async fetch(url: RequestInfo | URL, init: RequestInit | undefined): Promise<Response> {
    this.begun = true;
    try {
      // A redirect is never followed: the token would travel with it.
      const response = await fetch(url, { ...init, redirect: "manual", signal: this.#signal });
      const retryAfterMs = readRetryAfter(response.headers.get("retry-after"), Date.now());
      this.exchange = { status: response.status, retryAfterMs, body: null, failure: "cut answer" };
      const text = await readAll(response);
      this.exchange = { ...this.exchange, body: parse(text), failure: null };
      return new Response(text === "" ? null : text, { status: response.status });
    } catch (error) {
      this.exchange = { ...this.exchange, failure: failureCode(error) };
      throw error;
    }
  }
}

async function readAll(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop by a throw cancels the rest.
    if (bytes > answerBytesMax) throw new Error("answer too large");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // SyntaxError: an HTML page of something in between, or nothing at all.
    return text;
  }
}

// fetch says "fetch failed" and keeps what happened in the cause.
function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure";
  if (error.name === "TimeoutError") return "time-out";
  const cause = error.cause;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return "connection failed";
}
