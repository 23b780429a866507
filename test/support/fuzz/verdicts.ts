// What is wrong with an answer, whatever the request was.
import { applicationReceipt } from "@submissions/shared/application";
import { faults } from "@submissions/shared/faults";
import { inquiryReceipt } from "@submissions/shared/inquiry";
import { subscribeReceipt } from "@submissions/shared/subscription";
import { z } from "zod";
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
const issue = z.strictObject({ path: z.array(z.union([z.string(), z.number()])).min(1), message: z.string() });
const facts = { code: z.string(), requestId: z.string(), issues: z.array(issue).min(1).optional() };
const refusal = z.strictObject({ message: z.string(), ...facts });
const envelope = z.union([
  z.strictObject({ result: z.object({ data: z.unknown() }) }),
  z.strictObject({
    error: z.object({
      message: z.string(),
      code: z.number().negative(),
      data: z.strictObject({
        ...facts,
        httpStatus: z.number(),
        path: z.string().optional(),
        retryAfterSeconds: z.number().optional(),
      }),
    }),
  }),
]);

// Our own words hold none of these, in this spelling.
const forbidden =
  /\n\s+at |node_modules|node:internal|\.ts:\d|\/tmp\/|\/server\/src|[Ss][Qq][Ll]ite|SQLITE|\b(?:SELECT|INSERT|UPDATE) |[Ff]astify|\b[Zz]od\b|busboy|FST_|ERR_|\b[A-Z]\w*Error\b|\bE(?:NOENT|IO|ACCES|CONNRESET|BADF)\b|undefined|\[object/;
const refusals = new Set(Object.values(faults).map(({ status, code, message }) => `${status} ${code} ${message}`));
const requestIdForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const statuses = new Set([200, 204, 207, ...Object.values(faults).map(({ status }) => status)]);

/** Complains about an answer; hands out what its calls were answered with. */
export function judge(request: FuzzRequest, answer: WireAnswer, complain: (what: string) => void): Outcome[] {
  const { status, headers, body } = answer;
  const isWild = request.framing === "wild";
  if (!statuses.has(status) || (status >= 500 && status !== 503)) complain(`status ${status}`);
  for (const name of ["server", "x-powered-by"]) if (headers.has(name)) complain(`header ${name}`);
  if (!requestIdForm.test(headers.get("x-request-id") ?? "")) complain("no request id");
  const type = headers.get("content-type") ?? "";
  if (status >= 400 && forbidden.test(body)) complain(`says too much: ${forbidden.exec(body)?.[0]}`);
  if (body === "") {
    if (request.method !== "HEAD" && !isWild) complain("no body");
    return [];
  }
  if (type.startsWith("text/html")) {
    if (!/^<!doctype html>/i.test(body)) complain("no page");
    return [];
  }
  if (status < 400 && (request.door === "other" || isWild)) return [];
  if (type === "application/json") return judgeStream(body, complain);
  if (type !== "application/json; charset=utf-8") complain(`content type ${type}`);
  const value = parse(body, complain);
  if (!Array.isArray(value)) return [judgeCall(value, request.procedures[0], request, answer, complain)];
  if (!request.isBatch && !isWild) complain("a list without a batch");
  return value.map((one, position) => judgeCall(one, request.procedures[position], request, answer, complain));
}

function judgeCall(
  value: unknown,
  procedure: Procedure | undefined,
  { door, framing, isBatch, procedures }: FuzzRequest,
  { status, headers }: WireAnswer,
  complain: (what: string) => void,
): Outcome {
  const isReceipt = (data: unknown) => procedure !== undefined && receipts[procedure].safeParse(data).success;
  const receipt = (data: unknown): Outcome => {
    if (!isReceipt(data)) complain("no receipt");
    return { receipt: data as Record<string, unknown> };
  };
  const refused = (inStatus: number, { message, code, requestId }: z.infer<typeof refusal>): Outcome => {
    // The message of a 415 also names the accepted types.
    const said = inStatus === 415 ? message.replace(/ Send \S+\/.*/, "") : message;
    if (!refusals.has(`${inStatus} ${code} ${said}`)) complain(`no documented refusal: ${inStatus} ${code}`);
    if (requestId !== headers.get("x-request-id")) complain("two request ids");
    return { code };
  };
  const { data: enveloped } = envelope.safeParse(value);
  if (enveloped !== undefined) {
    // A wild request may hold another one.
    if (door === "rest" && framing !== "wild") complain("an envelope on REST");
    if ("result" in enveloped) return receipt(enveloped.result.data);
    const { message, data } = enveloped.error;
    if (!isBatch && framing !== "wild" && data.httpStatus !== status) complain("two statuses");
    const isOfOneCall = framing === "framed" && procedures.length === 1 && !isBatch;
    const isOfAnother = data.path !== undefined && procedure !== undefined && data.path !== procedure;
    if (framing !== "wild" && (isOfAnother || (isOfOneCall && data.path === undefined))) complain("another path");
    return refused(data.httpStatus, { ...data, message });
  }
  if (status < 300) return receipt(value);
  if (door === "rpc" && framing === "framed") complain("no envelope");
  const { data, error } = refusal.safeParse(value);
  if (data !== undefined) return refused(status, data);
  complain(`a refusal of another shape: ${error.message}`);
  return { code: "" };
}

// In streamed batches the envelopes lie in pieces; a receipt is known by its message without a number beside it.
function judgeStream(body: string, complain: (what: string) => void): Outcome[] {
  const outcomes: Outcome[] = [];
  const unwrap = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("message" in value && typeof value.message === "string" && !("code" in value)) {
      outcomes.push({ receipt: { ...value } });
    } else Object.values(value).forEach(unwrap);
  };
  for (const line of body.split("\n").filter((text) => text !== "")) unwrap(parse(line, complain));
  return outcomes;
}

function parse(text: string, complain: (what: string) => void): unknown {
  try {
    return JSON.parse(text);
  } catch {
    complain("no JSON");
    return null;
  }
}
