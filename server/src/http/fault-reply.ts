// Writes a failure as an answer: the one body on REST, tRPC's envelope on /trpc, the same words in both.
import type { FaultBody, FaultName } from "@submissions/shared/faults";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { errorShape } from "../rpc/error-shape.ts";
import { describeFailure, type Failure } from "../rpc/failure.ts";

const byFastifyCode: Readonly<Record<string, FaultName>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "bodyTooLarge",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bodyMalformed",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "contentTypeUnsupported",
  FST_ERR_BAD_URL: "notFound",
  FST_ERR_MAX_PARAM_LENGTH: "notFound",
  FST_ERR_ASYNC_CONSTRAINT: "notFound",
  ECONNRESET: "bodyMalformed",
};

/** Fastify's own refusals become entries of the table; everything else stays what it is. */
export function fromFastify(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const fault = byFastifyCode[code];
  return fault === undefined ? error : new Fault(fault, { cause: error });
}

/** The REST body of a failure. */
export function faultBody(failure: Failure, requestId: string): FaultBody {
  const { message, code, issues } = failure;
  return { message, code, requestId, ...(issues === undefined ? {} : { issues }) };
}

/** Answers a REST request with a failure. */
export function replyWithFault(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const failure = describeFailure(error);
  noteFailure(request, reply, failure, error);
  return reply
    .code(failure.status)
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(faultBody(failure, request.id));
}

/** One call's failure in tRPC's envelope, and its HTTP status. */
export function rpcFailure(
  error: unknown,
  path: string | undefined,
  requestId: string,
): { status: number; body: object } {
  const shape = errorShape(error, path, requestId);
  return { status: shape.data.httpStatus, body: { error: shape } };
}

/** Hands a failure to the request's log line, and its headers to the answer. */
export function noteFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure, error: unknown): void {
  request.failure = { fault: failure.fault, error: failure.status >= 500 ? error : undefined };
  if (failure.retryAfterSeconds !== undefined) reply.header("retry-after", failure.retryAfterSeconds);
}

declare module "fastify" {
  interface FastifyRequest {
    /** Why the request was refused, for its log line. */
    failure: { readonly fault: FaultName; readonly error: unknown } | null;
  }
}
