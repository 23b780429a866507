// The way to the service and back, as the `fetch` of the tRPC link: an answer comes back as it is, everything else is
// thrown as a SubmissionError. It knows envelopes and statuses, and nothing of what is submitted.
import type { FaultBody } from "@submissions/shared/faults";
import { SubmissionError } from "./submission-error.ts";

/** The header that a submission's key travels in. */
export const keyHeader = "idempotency-key";

/** The part of an answer that the tRPC link reads. */
interface Answer {
  readonly ok: true;
  json(): Promise<unknown>;
}

/** A `fetch` for the tRPC link. Rejects with a {@link SubmissionError}, or with the reason of the caller's abort. */
export function transport(send: typeof fetch) {
  return async (url: unknown, init: unknown): Promise<Answer> => {
    const request = init as RequestInit;
    const key = new Headers(request.headers).get(keyHeader) ?? undefined;
    const { response, text } = await exchange(send, String(url), request, key);
    const json = parse(text);
    if (response.ok && isObject(json) && isObject(json["result"]) && !("error" in json))
      return { ok: true, json: async () => json };
    // JSON that breaks off: an answer that was cut where neither a length nor a last chunk tells, as behind old proxies.
    if (response.ok && json === undefined && /\bjson\b/.test(response.headers.get("content-type") ?? ""))
      throw noWholeAnswer(key);
    throw refusal(response, json, key);
  };
}

// The body is read here and not by the link, which would lose the status of an answer that breaks off or is no JSON.
async function exchange(send: typeof fetch, url: string, init: RequestInit, key: string | undefined) {
  try {
    const response = await send(url, init);
    return { response, text: await response.text() };
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw noWholeAnswer(key, cause);
  }
}

const noWholeAnswer = (idempotencyKey: string | undefined, cause?: unknown): SubmissionError =>
  new SubmissionError({
    code: "NETWORK",
    message: "The service could not be reached. Please check the connection and try again.",
    idempotencyKey,
    cause,
  });

function refusal(response: Response, json: unknown, idempotencyKey: string | undefined): SubmissionError {
  const fault = readFault(json);
  return new SubmissionError({
    code: fault?.code ?? "UNEXPECTED_RESPONSE",
    message: fault?.message ?? "The service did not answer as expected. Please try again in a moment.",
    status: response.status,
    requestId: fault?.requestId ?? response.headers.get("x-request-id") ?? undefined,
    issues: fault?.issues,
    retryAfterSeconds: readRetryAfter(response.headers.get("retry-after")),
    idempotencyKey,
  });
}

// tRPC's envelope, or the plain body of the REST door: requests refused before any door was reached get that one.
function readFault(json: unknown): FaultBody | undefined {
  if (!isObject(json)) return undefined;
  const { error } = json;
  const fault = isObject(error) && isObject(error["data"]) ? { ...error["data"], message: error["message"] } : json;
  return isFault(fault) ? fault : undefined;
}

function isFault(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & FaultBody {
  const { message, code, requestId, issues = [] } = value;
  return [message, code, requestId].every((text) => typeof text === "string") && Array.isArray(issues);
}

/** Seconds, or a date (RFC 9110 10.2.3); browsers show it to other origins only where CORS exposes it. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's page, most likely. The status tells more than the syntax error.
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
