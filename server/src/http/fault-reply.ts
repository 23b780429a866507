// Writes a failure as an answer: the one body on REST, tRPC's envelope below /trpc, a page for browsers; the same words in
// all three. And tRPC's lines, in which a batch is answered call by call.
import { Readable } from "node:stream";
import type { FaultBody, FaultName } from "@submissions/shared/faults";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { describeFailure, errorShape, type Failure } from "../rpc/failure.ts";
import { variesBy } from "./headers.ts";

export const rpcPrefix = "/trpc";

const byFastifyCode: Readonly<Record<string, FaultName>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "bodyTooLarge",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bodyMalformed",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "contentTypeUnsupported",
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: "contentTypeUnsupported",
  ECONNRESET: "bodyMalformed",
};

/** Fastify's own refusals become entries of the table. */
export function faultOf(thrown: unknown): unknown {
  const fault = byFastifyCode[thrown instanceof Error && "code" in thrown ? String(thrown.code) : ""];
  return fault === undefined ? thrown : new Fault(fault, { cause: thrown });
}

/** Answers a request with a failure, in the terms of its door. */
export function refuse(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = faultOf(thrown);
  const isTyped = isRpc(request);
  if (isTyped && isBatch(request) && wantsLines(request)) return refuseInLines(request, reply, error);
  const failure = noteFailure(request, reply, error);
  const { status, message, code, issues } = failure;
  if (!isTyped) variesBy(reply, "Accept");
  if (request.page) {
    void request.page.refuse(reply, failure);
    return reply;
  }
  // A refusal of a whole batch belongs to none of its calls.
  const path = (!isBatch(request) && rpcPath(request)) || undefined;
  const ofRest: FaultBody = { message, code, requestId: request.id, ...(issues ? { issues } : {}) };
  return sendJson(reply, { status, body: isTyped ? { error: errorShape(error, path, request.id) } : ofRest });
}

/** The answer to a call. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Not by the schema of the route, which describes single successes. */
export const sendJson = (reply: FastifyReply, { status, body }: Answer): FastifyReply =>
  reply.code(status).type("application/json; charset=utf-8").serializer(JSON.stringify).send(body);

/** Whether a request is for the typed door, or for that of the console. */
export const isRpc = ({ url }: Pick<FastifyRequest, "url">) => /^(?:\/console)?\/trpc(?:[/?]|$)/.test(url);

/** The path of the procedure that a request names, of a batch those with commas between them. Empty: none. */
const rpcPath = ({ url }: FastifyRequest): string =>
  decodeURIComponent(/^(?:\/console)?\/trpc\/([^?]*)/.exec(url)?.[1] ?? "");

export const isBatch = ({ query }: FastifyRequest): boolean => (query as { batch?: unknown }).batch === "1";

/** Whether the answers of a batch are wanted as lines, each as soon as it is there. */
export const wantsLines = (request: FastifyRequest): boolean =>
  wantsMembers(request) ||
  (request.headers["trpc-accept"] ?? request.headers.accept ?? "")
    .toString()
    .split(",")
    .some((type) => type.trim() === "application/jsonl");

/** Whether these are wanted as the lines of tRPC 10. */
const wantsMembers = ({ headers }: FastifyRequest): boolean => headers["trpc-batch-mode"] === "stream";

type Numbered = readonly [number: number, body: object];
type NumberedAnswers = Iterable<Numbered> | AsyncIterable<Numbered>;

/** Answers a batch in lines, of the type that tRPC gives them. The status is 200 whatever they say: no call has ended yet. */
export function sendLines(request: FastifyRequest, reply: FastifyReply, calls: number, answers: NumberedAnswers) {
  for (const header of ["trpc-accept", "trpc-batch-mode", "Accept"]) variesBy(reply, header);
  const lines = wantsMembers(request) ? memberLines(answers) : jsonLines(calls, answers);
  return reply.code(200).type("application/json").send(Readable.from(lines));
}

/** The lines of tRPC 11: a head that gives each call a number, then the answers. */
async function* jsonLines(calls: number, answers: NumberedAnswers): AsyncGenerator<string> {
  const numbers = Array.from({ length: calls }, (_, number) => [number, [[0], [null, 0, number]]]);
  yield `${JSON.stringify(Object.fromEntries(numbers))}\n`;
  for await (const [number, body] of answers) yield `${JSON.stringify([number, 0, [[body]]])}\n`;
}

/** The lines of tRPC 10: one object, with a member for each answer. */
async function* memberLines(answers: NumberedAnswers): AsyncGenerator<string> {
  let before = "{";
  for await (const [number, body] of answers) {
    yield `${before}"${number}":${JSON.stringify(body)}\n`;
    before = ",";
  }
  yield "}";
}

/** No batch of a client is as long, and the answer to an address of commas must not be a thousand times as long. */
const linesMax = 1_000;

/** tRPC's streaming clients up to 11.13 read lines whatever the status is, later ones where it is 200. */
function refuseInLines(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const paths = rpcPath(request).split(",", linesMax);
  const answers = paths.map((path, number): Numbered => {
    noteFailure(request, reply, error);
    return [number, { error: errorShape(error, path, request.id) }];
  });
  return sendLines(request, reply, paths.length, answers);
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
