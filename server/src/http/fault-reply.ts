// Writes a failure as an answer: the one body on REST, tRPC's envelope below /trpc, a page for browsers; the same words in
// all three.
import type { FaultBody, FaultName } from "@submissions/shared/faults";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { describeFailure, errorShape, type Failure } from "../rpc/failure.ts";
import { variesBy } from "./headers.ts";
import { answerLine, headLine, isBatch, rpcPath, sendLines, wantsLines } from "./rpc-batch.ts";

/** Where the typed door is. */
export const rpcPrefix = "/trpc";

const byFastifyCode: Readonly<Record<string, FaultName>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "bodyTooLarge",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bodyMalformed",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "contentTypeUnsupported",
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: "contentTypeUnsupported",
  ECONNRESET: "bodyMalformed",
};

/** Answers a request with a failure, in the terms of its door. Fastify's own refusals become entries of the table. */
export function refuse(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = recognise(thrown);
  const failure = noteFailure(request, reply, error);
  const { status, message, code, issues } = failure;
  if (!isRpc(request)) variesBy(reply, "Accept");
  if (request.page) {
    void request.page.refuse(reply, failure);
    return reply;
  }
  if (isRpc(request) && isBatch(request) && wantsLines(request)) return refuseInLines(request, reply, error);
  const ofRest: FaultBody = { message, code, requestId: request.id, ...(issues ? { issues } : {}) };
  const body = isRpc(request) ? { error: errorShape(error, pathOf(request), request.id) } : ofRest;
  return sendJson(reply, status, body);
}

/** Not by the schema of the route, which describes single successes. */
export const sendJson = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply.code(status).type("application/json; charset=utf-8").serializer(JSON.stringify).send(body);

/** What was thrown, with Fastify's own refusals as entries of the table. */
function recognise(thrown: unknown): unknown {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  const fault = byFastifyCode[code];
  return fault === undefined ? thrown : new Fault(fault, { cause: thrown });
}

/** Whether a request is for the typed door, or for that of the console. */
export const isRpc = ({ url }: Pick<FastifyRequest, "url">) => /^(?:\/console)?\/trpc(?:[/?]|$)/.test(url);

/** What a single call names as its procedure; undefined for a batch, whose refusal as a whole belongs to no call. */
const pathOf = (request: FastifyRequest) => (isBatch(request) ? undefined : rpcPath(request) || undefined);

/** No batch of a client is as long, and the answer to an address of commas must not be a thousand times as long. */
const linesMax = 1_000;

/** tRPC's streaming clients up to 11.13 read lines whatever the status is, later ones where it is 200. */
function refuseInLines(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const paths = rpcPath(request).split(",", linesMax);
  const lines = paths.map((path, number) => answerLine(number, { error: errorShape(error, path, request.id) }));
  return sendLines(reply, [headLine(paths.length), ...lines]);
}

/** Hands a failure to the request's log line, and its headers to the answer. */
export function noteFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): Failure {
  const failure = describeFailure(error);
  const { fault, status, retryAfterSeconds } = failure;
  // The name of a fault without a cause says all, and its stack would only make an overload worse.
  const expected = error instanceof Fault && error.cause === undefined;
  request.failure = { fault, error: status >= 500 && !expected ? error : undefined, before: request.failure };
  if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds);
  return failure;
}

interface RequestFailure {
  readonly fault: FaultName;
  /** What is worth logging of it. */
  readonly error: unknown;
  /** The refusal of an earlier call in the same batch. */
  readonly before: RequestFailure | null;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Why the request was refused, for its log line; of a batch the call that was refused last. */
    failure: RequestFailure | null;
  }
}
