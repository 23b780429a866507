// What is wrong with an answer, whatever the request was: a status that no document names, a body that has not the one
// shape, words that no caller may read.
import { applicationReceipt } from "@submissions/shared/application";
import { faults } from "@submissions/shared/faults";
import { inquiryReceipt } from "@submissions/shared/inquiry";
import { subscribeReceipt } from "@submissions/shared/subscription";
import type { Procedure } from "../doors.ts";
import type { FuzzRequest } from "./requests.ts";
import type { WireAnswer } from "./wire.ts";

/** What a call was answered with, in the order of the calls. */
export type Outcome = { readonly receipt: Readonly<Record<string, unknown>> } | { readonly code: string };

const receipts = {
  "marketplace.inquiry": inquiryReceipt.strict(),
  "newsletter.subscribe": subscribeReceipt.strict(),
  "applications.submit": applicationReceipt.strict(),
} as const;

// Our own words hold none of these, in this spelling.
const forbidden =
  /\n\s+at |node_modules|node:internal|\.ts:\d|\/tmp\/|\/server\/src|[Ss][Qq][Ll]ite|SQLITE|\b(?:SELECT|INSERT|UPDATE) |[Ff]astify|\b[Zz]od\b|busboy|FST_|ERR_|\b[A-Z]\w*Error\b|\bE(?:NOENT|IO|ACCES|CONNRESET|BADF)\b|undefined|\[object/;
const refusals = new Set(Object.values(faults).map(({ status, code, message }) => `${status} ${code} ${message}`));
const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const statuses = new Set([200, 204, 207, ...Object.values(faults).map(({ status }) => status)]);

/** Complains about an answer; hands out what its calls were answered with. */
export function judge(request: FuzzRequest, answer: WireAnswer, complain: (what: string) => void): Outcome[] {
  const { status, headers, body } = answer;
  if (!statuses.has(status)) complain(`status ${status}`);
  if (status >= 500 && status !== 503) complain(`status ${status}`);
  for (const name of ["server", "x-powered-by"]) if (headers.has(name)) complain(`header ${name}`);
  if (!requestId.test(headers.get("x-request-id") ?? "")) complain("no request id");
  const type = headers.get("content-type") ?? "";
  if (status >= 400 && forbidden.test(body)) complain(`says too much: ${forbidden.exec(body)?.[0]}`);
  if (body === "") {
    if (request.method !== "HEAD" && request.framing !== "wild") complain("no body");
    return [];
  }
  if (type.startsWith("text/html")) {
    if (!/^<!doctype html>/i.test(body)) complain("no page");
    return [];
  }
  if (status < 400 && (request.door === "other" || request.framing === "wild")) return [];
  if (type === "application/json") return judgeStream(body, complain);
  if (type !== "application/json; charset=utf-8") complain(`content type ${type}`);
  return judgeJson(request, answer, complain);
}

function judgeJson(
  request: FuzzRequest,
  { status, headers, body }: WireAnswer,
  complain: (what: string) => void,
): Outcome[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    complain("no JSON");
    return [];
  }
  const id = headers.get("x-request-id");
  // A wild request may hold another one.
  const expected = request.framing === "wild" ? [] : request.procedures;
  if (Array.isArray(value)) {
    if (!request.isBatch && request.framing !== "wild") complain("a list without a batch");
    return value.map((one, position) => judgeEnvelope(one, expected[position], id, complain));
  }
  if (isObject(value) && ("error" in value || "result" in value)) {
    if (request.door === "rest" && request.framing !== "wild") complain("an envelope on REST");
    const outcome = judgeEnvelope(value, expected[0], id, complain);
    if ("code" in outcome && isObject(value["error"]) && dataOf(value["error"])["httpStatus"] !== status)
      complain("two statuses");
    const isOfOneCall = request.framing === "framed" && request.procedures.length === 1 && !request.isBatch;
    if (isOfOneCall && "code" in outcome && dataOf(value["error"])["path"] !== request.procedures[0])
      complain("no path");
    return [outcome];
  }
  if (status < 300) return [judgeReceipt(value, request.procedures[0], complain)];
  if (request.door === "rpc" && request.framing === "framed") complain("no envelope");
  return [judgeFault(value, status, id, complain)];
}

function judgeReceipt(value: unknown, procedure: Procedure | undefined, complain: (what: string) => void): Outcome {
  if (procedure === undefined || !receipts[procedure].safeParse(value).success) complain("no receipt");
  return { receipt: value as Record<string, unknown> };
}

function judgeFault(value: unknown, status: number, id: string | undefined, complain: (what: string) => void): Outcome {
  const { message, code, requestId: named, issues, ...more } = isObject(value) ? value : {};
  if (!refusals.has(`${status} ${String(code)} ${String(message)}`))
    complain(`no documented refusal: ${status} ${String(code)}`);
  if (named !== id) complain("two request ids");
  if (Object.keys(more).length > 0) complain(`more in the body: ${Object.keys(more).join()}`);
  judgeIssues(issues, complain);
  return { code: String(code) };
}

function judgeIssues(issues: unknown, complain: (what: string) => void): void {
  if (issues === undefined) return;
  if (!Array.isArray(issues) || issues.length === 0) return complain("issues without any");
  for (const issue of issues as Record<string, unknown>[]) {
    const { path, message, ...more } = issue;
    const isPath =
      Array.isArray(path) && path.length > 0 && path.every((part) => ["string", "number"].includes(typeof part));
    if (!isPath || typeof message !== "string" || Object.keys(more).length > 0) complain("an issue of another shape");
  }
}

function judgeEnvelope(
  value: unknown,
  procedure: Procedure | undefined,
  id: string | undefined,
  complain: (what: string) => void,
): Outcome {
  const { result, error, ...more } = isObject(value) ? value : {};
  if (Object.keys(more).length > 0) complain("more in the envelope");
  if (isObject(result)) return judgeReceipt(result["data"], procedure, complain);
  if (!isObject(error) || typeof error["code"] !== "number" || error["code"] >= 0)
    complain("an envelope of another shape");
  const { httpStatus, path, ...data } = dataOf(error);
  if (procedure !== undefined && path !== undefined && path !== procedure) complain("another path");
  const { retryAfterSeconds: _, ...rest } = data;
  return judgeFault(
    { message: isObject(error) ? error["message"] : undefined, ...rest },
    Number(httpStatus),
    id,
    complain,
  );
}

// Streamed batches: JSON values, one a line, in which the envelopes lie in pieces; they come in any order. A receipt is
// known by its message, which refusals have beside a number.
function judgeStream(body: string, complain: (what: string) => void): Outcome[] {
  const outcomes: Outcome[] = [];
  const unwrap = (value: unknown): void => {
    if (!isObject(value)) return;
    if (typeof value["message"] === "string" && !("code" in value)) outcomes.push({ receipt: value });
    else Object.values(value).forEach(unwrap);
  };
  for (const line of body.split("\n").filter((text) => text !== "")) {
    try {
      unwrap(JSON.parse(line));
    } catch {
      complain("a line of a stream that is no JSON");
    }
  }
  return outcomes;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const dataOf = (error: unknown): Record<string, unknown> =>
  isObject(error) && isObject(error["data"]) ? error["data"] : {};
