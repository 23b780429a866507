// As much of `fetch` as Postmark's client library uses, over node:http: global fetch turns a body of a megabyte into a
// stream, which took a fifth of the service's time. Follows no redirect, because the token would travel with it.
import type { IncomingMessage } from "node:http";
import { HttpAgent, httpRequest, HttpsAgent, httpsRequest } from "../../node-http.ts";
import { readRetryAfter, type Seen } from "./postmark-verdict.ts";

/** An answer to 500 mails is about 100 KB; more is not from Postmark. */
const answerBytesMax = 1024 * 1024;
/** The calls of the outbox and ten searches: no call waits for another one's connection. */
const socketsMax = 16;
/** Balancers close idle connections after a minute. A request that meets that moment would leave its mails in doubt. */
const idleMsMax = 20_000;

/** Connections to one host that are kept open between requests. */
export class Connections implements Disposable {
  readonly #options = { keepAlive: true, maxSockets: socketsMax, timeout: idleMsMax };
  readonly #http = new HttpAgent(this.#options);
  readonly #https = new HttpsAgent(this.#options);

  /** Makes a request and ends it after this many milliseconds. What comes of it is noted in `seen`. */
  fetch(address: string, init: RequestInit, msMax: number, seen: Seen): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const fail = (error: Error) => {
      seen.failure ??= "code" in error ? String(error.code) : error.message;
      reject(error);
    };
    const body = typeof init.body === "string" ? init.body : null;
    const length = body === null ? {} : { "content-length": Buffer.byteLength(body) };
    const headers = { ...(init.headers as Record<string, string>), ...length };
    const options = { method: init.method ?? "GET", headers };
    const isSecure = address.startsWith("https:");
    const request = isSecure
      ? httpsRequest(address, { ...options, agent: this.#https })
      : httpRequest(address, { ...options, agent: this.#http });
    let answer: IncomingMessage | null = null;
    const timer = setTimeout(() => (answer ?? request).destroy(new Error("time-out")), msMax);
    request.on("close", () => clearTimeout(timer));
    request.on("socket", (socket) => {
      if (request.reusedSocket) seen.sent = true;
      else socket.once(isSecure ? "secureConnect" : "connect", () => (seen.sent = true));
    });
    request.on("error", fail);
    request.on("response", (response) => {
      answer = response;
      seen.status = response.statusCode ?? null;
      seen.retryAfterMs = readRetryAfter(response.headers["retry-after"] ?? null, Date.now());
      readAll(response).then((text) => resolve(answerOf(response, text)), fail);
    });
    request.end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
    this.#https.destroy();
  }
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

// The library reads no more of a response than this.
const answerOf = ({ statusCode: status = 0 }: IncomingMessage, text: string): Response =>
  ({ status, text: () => Promise.resolve(text) }) as Response;
