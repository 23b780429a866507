// One call of Postmark's API, as it really went. The client library writes the request and reads the answer. It hides
// `Retry-After` and whether anything was sent, which is noted beside it.
import { Errors, ServerClient } from "postmark";
import { handOverMsMax } from "../mailer.ts";
import { Connections } from "./postmark-fetch.ts";
import type { Exchange, Seen } from "./postmark-verdict.ts";

/** How to reach Postmark. */
export interface PostmarkSettings {
  /** The server token; never logged. */
  readonly token: string;
  /** Another base address than Postmark's own: `http(s)://host[:port]`. */
  readonly apiUrl?: string | undefined;
  /** `outbound` unless named. */
  readonly messageStream?: string | undefined;
  /** How long a batch may take in all, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

export class PostmarkApi implements Disposable {
  readonly messageStream: string;
  readonly timeoutMs: number;
  readonly #token: string;
  readonly #host: { readonly useHttps: boolean; readonly requestHost: string } | undefined;
  readonly #connections = new Connections();

  constructor({ token, apiUrl, messageStream = "outbound", timeoutMs = handOverMsMax }: PostmarkSettings) {
    this.messageStream = messageStream;
    this.timeoutMs = timeoutMs;
    this.#token = token;
    const url = apiUrl === undefined ? undefined : new URL(apiUrl);
    this.#host = url && {
      useHttps: url.protocol === "https:",
      requestHost: url.host + url.pathname.replace(/\/+$/, ""),
    };
  }

  /**
   * Makes the call that `use` makes of the client, and ends it at a time of `performance.now()`. Rejects only when no
   * request was made.
   *
   * @param handed the batch that `use` hands to the client, if it is one. It is emptied once the request's body is made of it
   */
  async call(
    endsAt: number,
    use: (client: ServerClient) => Promise<unknown>,
    handed: unknown[] = [],
  ): Promise<Exchange> {
    const msLeft = Math.max(Math.ceil(endsAt - performance.now()), 1);
    let begun = false;
    const seen: Seen = { sent: false, status: null, retryAfterMs: null, failure: null };
    const client = new ServerClient(this.#token, {
      ...this.#host,
      // Seconds. The request ends before this does.
      timeout: Math.ceil(msLeft / 1000) + 1,
      fetch: (address, init = {}) => {
        begun = true;
        // What the library's generators hold is freed by V8's next full collection only. When that included the mails of
        // each batch, garbage collection took a tenth of the service's CPU time.
        handed.length = 0;
        return this.#connections.fetch(address as string, init, msLeft, seen);
      },
    });
    try {
      const body = await use(client);
      return { ...seen, body };
    } catch (error) {
      // The library throws its own errors for refusals and for failed requests. What is thrown before the request is a
      // mistake of ours.
      if (!begun) throw error;
      return { ...seen, body: error instanceof Errors.PostmarkError ? { ErrorCode: error.code } : null };
    }
  }

  [Symbol.dispose](): void {
    this.#connections[Symbol.dispose]();
  }
}
