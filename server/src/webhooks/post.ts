// One POST to an address that others chose. The name is resolved once, all of its addresses are judged, and the connection
// is made to one of those: a second look-up could answer with another address. Redirects are answers like any other.
import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { addAbortListener } from "node:events";
import type { RequestOptions } from "node:https";
import type { LookupFunction } from "node:net";
import { httpRequest, httpsRequest } from "../node-http.ts";
import { literalOf, mayBeCalled, problemOfUrl, type WebhookTargets } from "./target.ts";

/** From the look-up to the end of the answer. The specification asks for 15 to 30 s. */
const answerMsMax = 15_000;
/** Nothing of an answer is kept, but a connection that is cut while a receiver still writes looks like an error there. */
const answerBytesMax = 64 * 1024;
const interimMax = 10;
/** Of one question to a name server, and how often it is asked. */
const nameServer = { timeout: 3_000, tries: 2 };

/** `failure`: no answer; a code without personal data. */
export type PostAnswer =
  | { readonly status: number; readonly retryAfterMs: number | null; readonly failure?: never }
  | { readonly failure: string; readonly status?: never; readonly retryAfterMs?: never };

export interface PostOptions {
  readonly targets: WebhookTargets;
  readonly signal: AbortSignal;
  /** How a name is resolved, unless by the name servers. */
  readonly resolve?: ((hostname: string) => Promise<readonly LookupAddress[]>) | undefined;
  /** Which name servers, as `address:port`, unless those of the machine. */
  readonly nameServers?: readonly string[] | undefined;
  /** Certificate authorities, unless the usual ones. */
  readonly ca?: string | undefined;
}

/** Asks the name servers. The system's look-up reads the hosts file, too, and cannot be broken off: two that hang block all. */
async function resolveByServers(hostname: string, signal: AbortSignal, servers?: readonly string[]) {
  const resolver = new Resolver(nameServer);
  if (servers !== undefined) resolver.setServers(servers);
  using _cancelling = addAbortListener(signal, () => resolver.cancel());
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (four.status === "rejected" && six.status === "rejected") throw four.reason;
  const of = (found: typeof four, family: 4 | 6): LookupAddress[] =>
    found.status === "fulfilled" ? found.value.map((address) => ({ address, family })) : [];
  return [...of(four, 4), ...of(six, 6)];
}

/** The names of this machine are in its hosts file. */
const resolveHere = (hostname: string) => lookup(hostname, { all: true, verbatim: true });

/** Posts JSON. Never rejects. */
export async function post(
  address: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  { targets, signal, resolve, nameServers, ca }: PostOptions,
): Promise<PostAnswer> {
  // The rules may be stricter than when the address was stored.
  if (problemOfUrl(address, targets) !== null) return { failure: "address-refused" };
  const url = new URL(address);
  const timed = AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]);
  const byServers = (hostname: string) => resolveByServers(hostname, timed, nameServers);
  const resolver = resolve ?? (targets === "loopback" ? resolveHere : byServers);
  try {
    const literal = literalOf(url.hostname);
    // No name is looked up for an address.
    const found =
      literal === null
        ? await unlessAborted(resolver(url.hostname), timed)
        : [{ address: literal, family: literal.includes(":") ? 6 : 4 }];
    // One that is refused says that the name is not one of the internet.
    const isOfInternet = found.length > 0 && found.every((one) => mayBeCalled(one.address, targets));
    if (!isOfInternet) return { failure: "address-refused" };
    return await send(url, body, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": "submissions-webhooks",
      },
      // No connection is used twice, and no proxy of the environment.
      agent: false,
      signal: timed,
      lookup: pinnedTo(found),
      ...(ca !== undefined && { ca }),
    });
  } catch (error) {
    return { failure: failureOf(error, timed) };
  }
}

/** Some work cannot be broken off, but it need not be waited for. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _watch = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([work, promise]);
}

/** Answers every look-up of the connection with the addresses that were judged. */
const pinnedTo =
  (found: readonly LookupAddress[]): LookupFunction =>
  (_hostname, { all }, done) => {
    const [first] = found;
    if (all === true) done(null, [...found]);
    else done(null, first?.address ?? "", first?.family);
  };

function send(url: URL, body: string, options: RequestOptions): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      const answer = { status, retryAfterMs: retryAfterOf(headers["retry-after"]) };
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        // The status is known, and the rest is of no interest.
        if (bytes > answerBytesMax) response.destroy();
      });
      // The status counts even if the answer is cut off, by the receiver or by our time limit.
      const ended = () => resolve(answer);
      response.on("error", ended).on("close", ended);
      request.off("error", reject).on("error", ended);
    });
    request.on("error", reject);
    // 101: without this the request would neither be answered nor fail.
    request.on("upgrade", ({ statusCode: status = 101 }, socket) => {
      socket.destroy();
      resolve({ status, retryAfterMs: null });
    });
    let interim = 0;
    request.on("information", () => {
      interim += 1;
      if (interim > interimMax) request.destroy(new Error("too many interim answers"));
    });
    request.end(body);
  });
}

/** Seconds only; a date is answered rarely, and the usual delay does as well. */
function retryAfterOf(value: string | undefined): number | null {
  return value !== undefined && /^[0-9]+$/.test(value) ? Number(value) * 1000 : null;
}

/** A code for the log of deliveries: messages of errors hold addresses. */
function failureOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "timeout";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "connection-failed";
}
