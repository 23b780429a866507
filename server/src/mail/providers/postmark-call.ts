// One call of Postmark's API. The client library writes the request and reads the answer, but hides `Retry-After` and
// whether anything was sent, so the request is made here. Not by global fetch: its streams took a fifth of the service's time.
import type { IncomingMessage } from "node:http";
import { Errors, ServerClient } from "postmark";
import { HttpAgent, httpRequest, HttpsAgent, httpsRequest } from "../../node-http.ts";
import { handOverMsMax } from "../mailer.ts";

export interface PostmarkSettings {
  /** The server token; never logged. */
  readonly token: string;
  /** Another base address than Postmark's own: `http(s)://host[:port]`. */
  readonly apiUrl?: string | undefined;
  /** How long a batch may take in all, in milliseconds, beside the time for attachments. */
  readonly timeoutMs?: number | undefined;
}

/** What is seen of a call; filled in on its way. */
interface Seen {
  /** Whether a connection was made. Without one not a byte of the mail can have left. */
  sent: boolean;
  /** The HTTP status, or null when no answer began. */
  status: number | null;
  retryAfterMs: number | null;
  /** What broke, by the code of the system or in words of ours; null: nothing. */
  failure: string | null;
}

/** What one call came to. `body`: JSON, or else text; of a refusal only `ErrorCode`. */
export type Exchange = Readonly<Seen> & { readonly body: unknown };

/** An answer to 500 mails is about 100 KB; more is not from Postmark. */
const answerBytesMax = 1024 * 1024;
/** The calls of the outbox and ten searches: no call waits for another one's connection. */
const socketsMax = 16;
/** Balancers close idle connections after a minute. A request that meets that moment would leave its mails in doubt. */
const idleMsMax = 20_000;
const agentOptions = { keepAlive: true, maxSockets: socketsMax, timeout: idleMsMax };

export type PostmarkApi = ReturnType<typeof openPostmarkApi>;

export function openPostmarkApi({ token, apiUrl, timeoutMs = handOverMsMax }: PostmarkSettings) {
  const agents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };
  const url = apiUrl === undefined ? undefined : new URL(apiUrl);
  const host = url && { useHttps: url.protocol === "https:", requestHost: url.host + url.pathname.replace(/\/+$/, "") };

  // Makes the call that `use` makes of the client, and ends it at a time of `performance.now()`. Rejects only when no request
  // was made. `handed` is the batch that `use` hands to the client; it is emptied once the request's body is made of it.
  async function call(
    endsAt: number,
    use: (client: ServerClient) => Promise<unknown>,
    handed: unknown[] = [],
    giveUp?: AbortSignal,
  ) {
    const msLeft = Math.max(Math.ceil(endsAt - performance.now()), 1);
    let begun = false;
    const seen: Seen = { sent: false, status: null, retryAfterMs: null, failure: null };
    const client = new ServerClient(token, {
      ...host,
      // Seconds. The request ends before this does.
      timeout: Math.ceil(msLeft / 1000) + 1,
      fetch: (address, init = {}) => {
        begun = true;
        // The library's generators hold it until V8's next full collection, which took a tenth of the service's CPU time.
        handed.length = 0;
        return request(address as string, init, msLeft, seen, giveUp);
      },
    });
    try {
      const body = await use(client);
      return { ...seen, body };
    } catch (error) {
      // The library throws for refusals and failed requests. What is thrown before the request is a mistake of ours.
      if (!begun) throw error;
      return { ...seen, body: error instanceof Errors.PostmarkError ? { ErrorCode: error.code } : null };
    }
  }

  /** As much of `fetch` as the library uses. Follows no redirect, because the token would travel with it. */
  function request(
    address: string,
    init: RequestInit,
    msMax: number,
    seen: Seen,
    giveUp?: AbortSignal,
  ): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const fail = (error: Error) => {
      seen.failure ??= "code" in error ? String(error.code) : error.message;
      reject(error);
    };
    const body = typeof init.body === "string" ? init.body : null;
    const length = body !== null && { "content-length": Buffer.byteLength(body) };
    const options = { method: init.method, headers: { ...(init.headers as Record<string, string>), ...length } };
    const isSecure = address.startsWith("https:");
    const sending = isSecure
      ? httpsRequest(address, { ...options, agent: agents.https })
      : httpRequest(address, { ...options, agent: agents.http });
    let answer: IncomingMessage | null = null;
    const end = () => (answer ?? sending).destroy(new Error("time-out"));
    const timer = setTimeout(end, msMax);
    giveUp?.addEventListener("abort", end);
    sending.on("close", () => {
      clearTimeout(timer);
      giveUp?.removeEventListener("abort", end);
    });
    sending.on("socket", (socket) => {
      if (sending.reusedSocket) seen.sent = true;
      else socket.once(isSecure ? "secureConnect" : "connect", () => (seen.sent = true));
    });
    sending.on("error", fail);
    // 101: without this the request would neither be answered nor fail.
    sending.on("upgrade", ({ statusCode: status = 101 }, socket) => {
      seen.status = status;
      socket.destroy();
      fail(new Error("unexpected answer"));
    });
    sending.on("response", (response) => {
      answer = response;
      seen.status = response.statusCode ?? null;
      seen.retryAfterMs = readRetryAfter(response.headers["retry-after"]);
      // The library reads no more of a response than this.
      const answerOf = (text: string) => ({ status: seen.status, text: async () => text }) as Response;
      readAll(response).then((text) => resolve(answerOf(text)), fail);
    });
    sending.end(body);
    return promise;
  }

  return {
    timeoutMs,
    call,
    [Symbol.dispose]() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop by a throw closes the connection.
    if (bytes > answerBytesMax) throw new Error("answer too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A longer wish than a day is taken for a mistake. */
const retryAfterMsMax = 24 * 60 * 60 * 1000;

/** Reads `Retry-After`, which is a number of seconds or an HTTP date; null when it is neither or absent. */
function readRetryAfter(value: string | undefined): number | null {
  if (value === undefined) return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMsMax);
}
