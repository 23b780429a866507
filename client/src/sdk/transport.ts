// One POST and its whole answer: an accepted submission, or a SubmissionError. It knows tRPC's envelopes and HTTP's
// statuses, and nothing of what is submitted.
import type { FaultBody } from "@submissions/shared/faults";
import { SubmissionError } from "./submission-error.ts";

/** The header that holds the key of a submission. */
export const keyHeader = "idempotency-key";

/** `fetch`, or what stands in for it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** tRPC's envelope around a receipt, as the service wrote it. */
export interface Accepted {
  readonly result: { readonly data: object };
}

/**
 * Sends a submission once.
 *
 * @throws SubmissionError when there is no receipt, or the reason of the caller's abort
 */
export async function post(send: Fetch, url: string, init: RequestInit): Promise<Accepted> {
  const { signal } = init;
  const idempotencyKey = new Headers(init.headers).get(keyHeader) ?? undefined;
  const noAnswer = (cause?: unknown) =>
    new SubmissionError({
      code: "NETWORK",
      message: "The service could not be reached. Please check the connection and try again.",
      idempotencyKey,
      cause,
    });
  signal?.throwIfAborted();
  let response: Response;
  let text: string;
  try {
    response = await send(url, { ...init, method: "POST" });
    // Read to its end: an answer that breaks off is no answer, even with a good status.
    text = await response.text();
  } catch (cause) {
    const isRefused = !signal?.aborted && (await refusesOrigin(url, signal));
    // Some runtimes reject an aborted request without the caller's reason.
    if (signal?.aborted) throw signal.reason;
    throw isRefused ? originRefused(url, idempotencyKey) : noAnswer(cause);
  }
  const json = parse(text);
  if (response.ok && isAccepted(json)) return json;
  // Incomplete JSON: the answer was cut where neither a length nor a last chunk shows it, as behind old proxies.
  if (response.ok && json === undefined && /\bjson\b/.test(response.headers.get("content-type") ?? ""))
    throw noAnswer();
  throw refusal(response, json, url, idempotencyKey);
}

/** Longer than a service that is there takes to answer. */
const probeMs = 3_000;

/**
 * Whether the service is there but does not let this page's origin call it, which browsers do not tell from a lost
 * connection. Its style sheet is for pages of any origin, its configuration for those of `CORS_ORIGINS`: asked for before
 * and after, so that a connection that comes and goes is not taken for a refusal.
 */
async function refusesOrigin(url: string, signal: AbortSignal | null | undefined): Promise<boolean> {
  const { location } = globalThis;
  if (location === undefined || new URL(url).origin === location.origin) return false;
  for (const path of ["forms/config.json", "forms.css", "forms/config.json"]) {
    const timeout = AbortSignal.timeout(probeMs);
    const init: RequestInit = { cache: "no-store", signal: signal ? AbortSignal.any([signal, timeout]) : timeout };
    const outcome = await fetch(url.replace(/trpc\/[^/]*$/, path), init).then(
      ({ ok }) => ok,
      // Browsers refuse with this error. Without an answer in time it is another one.
      (error: unknown) => error instanceof TypeError && "refused",
    );
    if (outcome !== (path === "forms.css" || "refused")) return false;
  }
  return true;
}

// What the service says to such pages. The browser asks before it sends a submission, so nothing has arrived.
const originRefused = (url: string, idempotencyKey: string | undefined) =>
  new SubmissionError({
    code: "FORBIDDEN",
    message: "Submissions from pages of other websites are not accepted.",
    idempotencyKey,
    cause: new Error(`The CORS_ORIGINS of ${new URL(url).origin} do not name ${location.origin}.`),
  });

const isAccepted = (json: unknown): json is Accepted =>
  isObject(json) && isObject(json["result"]) && isObject(json["result"]["data"]) && !("error" in json);

// What a proxy before the service refuses by itself, with a page of its own or none: the submission got no further.
const proxyRefusals: Readonly<Record<number, Pick<FaultBody, "code" | "message">>> = {
  413: { code: "PAYLOAD_TOO_LARGE", message: "The request is too large." },
  429: { code: "TOO_MANY_REQUESTS", message: "Too many requests. Please try again in a moment." },
};

function refusal({ status, headers }: Response, json: unknown, url: string, idempotencyKey?: string): SubmissionError {
  // The typed door takes POST at every address, so 405 is no refusal of the submission: a redirect turned it into GET.
  const fault = status === 405 ? undefined : readFault(json);
  // The usual reason is a wrong address, so the cause names it.
  const cause = fault ? undefined : new Error(`${url} answered ${status} ${headers.get("content-type") ?? ""}`.trim());
  const words = fault ?? proxyRefusals[status];
  return new SubmissionError({
    code: words?.code ?? "UNEXPECTED_RESPONSE",
    message: words?.message ?? "The service did not answer as expected. Please try again in a moment.",
    status,
    requestId: fault?.requestId ?? headers.get("x-request-id") ?? undefined,
    issues: fault?.issues,
    retryAfterSeconds: fault?.retryAfterSeconds ?? readRetryAfter(headers.get("retry-after")),
    idempotencyKey,
    cause,
  });
}

/** A refusal of the typed door, which says in the body what a batch cannot say in headers. */
type TypedFault = FaultBody & { readonly retryAfterSeconds?: number };

// tRPC's envelope, or the plain body of the REST door for requests that were refused before they reached a door.
function readFault(json: unknown): TypedFault | undefined {
  if (!isObject(json)) return undefined;
  const { error } = json;
  const fault = isObject(error) && isObject(error["data"]) ? { ...error["data"], message: error["message"] } : json;
  return isFault(fault) ? fault : undefined;
}

function isFault(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & TypedFault {
  const { message, code, requestId, issues = [], retryAfterSeconds = 0 } = value;
  return (
    [message, code, requestId].every((text) => typeof text === "string") &&
    Array.isArray(issues) &&
    typeof retryAfterSeconds === "number"
  );
}

/** Seconds, or a date (RFC 9110 10.2.3). Pages of other origins see the header only where CORS exposes it. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // SyntaxError: probably a proxy's page. Its status says more than the error.
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
