// Writes a fault as the answer of its door, REST, tRPC or a page, in the same words. Each refusal is counted here.
import { type FaultBody, type FaultName, faults } from "@submissions/shared/faults";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { errorShape, faultOf } from "../rpc/failure.ts";
import type { FormBody } from "./body/form-body.ts";
import { variesBy } from "./headers.ts";
import { isBatch, isRpc, rpcPath, sendJson, sendLines, wantsLines } from "./rpc-wire.ts";

const byFastifyCode: Readonly<Record<string, FaultName>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "bodyTooLarge",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bodyMalformed",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "contentTypeUnsupported",
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: "contentTypeUnsupported",
  ECONNRESET: "bodyMalformed",
};

function faultOfFastify(thrown: unknown): unknown {
  const fault = byFastifyCode[thrown instanceof Error && "code" in thrown ? String(thrown.code) : ""];
  return fault === undefined ? thrown : new Fault(fault, { cause: thrown });
}

/** Answers a request with a fault, in the terms of its door. @param form what was sent, if a page is to show it again */
export function refuse(request: FastifyRequest, reply: FastifyReply, thrown: unknown, form: FormBody | null = null) {
  const error = faultOfFastify(thrown);
  const isTyped = isRpc(request);
  const paths = isTyped ? rpcPath(request) : "";
  if (isTyped && isBatch(request) && wantsLines(request)) return refuseInLines(request, reply, error, paths);
  const fault = noteFault(request, reply, error, paths.split(","));
  const { message, issues } = fault;
  const { status, code } = faults[fault.fault];
  if (!isTyped) variesBy(reply, "Accept");
  const { page } = request.exchange;
  if (page !== null) {
    void page.sendRefusal(reply, fault, form);
    return reply;
  }
  // A refusal of a whole batch belongs to none of its calls.
  const path = (!isBatch(request) && paths) || undefined;
  const ofRest: FaultBody = { message, code, requestId: request.id, ...(issues ? { issues } : {}) };
  return sendJson(reply, { status, body: isTyped ? { error: errorShape(fault, path, request.id) } : ofRest });
}

/** Batches of clients are shorter. Without it, the answer to an address of commas would be a thousand times as long. */
const linesMax = 1_000;

/** tRPC's streaming clients up to 11.13 read lines whatever the status is, later ones where it is 200. */
function refuseInLines(request: FastifyRequest, reply: FastifyReply, error: unknown, paths: string): FastifyReply {
  const answers = paths.split(",", linesMax).map((path, number) => {
    return [number, { error: errorShape(noteFault(request, reply, error, [path]), path, request.id) }] as const;
  });
  return sendLines(request, reply, answers.length, answers);
}

/** The answer to a typed call in tRPC's envelope. */
export async function answerOf(request: FastifyRequest, reply: FastifyReply, path: string, result: Promise<unknown>) {
  try {
    return { status: 200, body: { result: { data: await result } } };
  } catch (error) {
    const shape = errorShape(noteFault(request, reply, error, [path]), path, request.id);
    return { status: shape.data.httpStatus, body: { error: shape } };
  }
}

/** Hands a fault to the observation of its request, and its headers to the answer. @param paths of the typed calls refused */
function noteFault(request: FastifyRequest, reply: FastifyReply, error: unknown, paths: readonly string[]): Fault {
  const fault = faultOf(error);
  // The name of a fault without a cause says all, and its stack would only make an overload worse.
  const isExpected = faults[fault.fault].status < 500 || (error instanceof Fault && error.cause === undefined);
  request.exchange.observation.refused(fault, isExpected ? undefined : error, paths);
  if (fault.retryAfterSeconds !== undefined) reply.header("retry-after", fault.retryAfterSeconds);
  // RFC 9110 15.5.16: which types would have been taken.
  if (fault.accepted !== undefined) reply.header("accept", fault.accepted.join(", "));
  return fault;
}
