// The typed door: tRPC's wire format over POST, single and batched. Calls are answered here, the console's too, because the
// stock adapter builds a web Request and Response for each and takes uploads without limit.
import multipart from "@fastify/multipart";
import { batchCallsMax, bytesMax } from "@submissions/shared/limits";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { Fault } from "../fault.ts";
import { errorShape } from "../rpc/failure.ts";
import { procedures } from "../rpc/router.ts";
import { acceptBodies, type BodyKind } from "./body/content-type.ts";
import { answerCall, countRefusal, type DoorOptions, inputOf, jsonBytesMaxOf, objectOnly } from "./call.ts";
import {
  type Answer,
  isBatch,
  noteFailure,
  refuse,
  rpcPrefix,
  sendJson,
  sendLines,
  wantsLines,
} from "./fault-reply.ts";

/** Adds the typed routes. JSON bodies are parsed by the scope around them. */
export async function rpcDoor(app: FastifyInstance, door: DoorOptions): Promise<void> {
  const admitted = door.guard.hook({
    calls: (request) => Math.min(pathsOf(request).length, batchCallsMax),
    refuseAll: (request, reply, fault) => refuseAll(request, reply, door, fault),
  });
  app.setErrorHandler((error, request, reply) => {
    countRefusals(request, door, error);
    return refuse(request, reply, error);
  });
  for (const entry of procedures.values()) {
    const accepted = entry.contentTypes.filter((type) => type !== "application/x-www-form-urlencoded") as BodyKind[];
    await app.register(async (scope) => {
      if (accepted.includes("multipart/form-data")) await scope.register(multipart, { throwFileSizeLimit: false });
      const preParsing = acceptBodies((request) => (isBatch(request) ? ofBatches : accepted));
      scope.post(
        `${rpcPrefix}/${entry.path}`,
        { onRequest: admitted, preParsing, bodyLimit: jsonBytesMaxOf(entry) },
        async (request, reply) => {
          if (isBatch(request)) return answerSubmissions(request, reply, door);
          const receipt = answerCall(door, entry, { request, reply, by: "rpc" });
          return sendJson(reply, await answerOf(request, reply, entry.path, receipt));
        },
      );
    });
  }
  app.post(
    batchRoute,
    { onRequest: [batchesOnly, admitted], preParsing: acceptBodies(() => ofBatches), bodyLimit: bytesMax.jsonOfBatch },
    async (request, reply) => answerSubmissions(request, reply, door),
  );
}

const ofBatches: readonly BodyKind[] = ["application/json"];

/** The address of calls that come together: their procedures with commas between them. */
export const batchRoute = `${rpcPrefix}/:paths`;

export const isRpcPath = (url: string): boolean =>
  url.startsWith(`${rpcPrefix}/`) && listed(url.slice(rpcPrefix.length + 1)).every((path) => procedures.has(path));

const listed = (paths: string): string[] => paths.split(",");

/** Answers a request of which no call is admitted. */
function refuseAll(request: FastifyRequest, reply: FastifyReply, door: DoorOptions, fault: Fault): void {
  countRefusals(request, door, fault);
  if (!isBatch(request) || wantsLines(request)) return void refuse(request, reply, fault);
  const answers = pathsOf(request).map((path) => answerOf(request, reply, path, Promise.reject(fault)));
  void sendBatch(request, reply, answers);
}

/** Counts each call of a request of which none was made. */
function countRefusals(request: FastifyRequest, door: DoorOptions, error: unknown): void {
  for (const path of pathsOf(request)) if (procedures.has(path)) countRefusal(door, path, "rpc", error);
}

/** A batch: inputs by position, answers in the same order. */
function answerSubmissions(request: FastifyRequest, reply: FastifyReply, door: DoorOptions) {
  const paths = pathsOf(request);
  if (paths.length > batchCallsMax) throw new Fault("batchTooLarge");
  // One key cannot stand for several submissions.
  if (paths.length > 1 && request.headers["idempotency-key"] !== undefined) throw new Fault("idempotencyKeyInvalid");
  if (request.body === undefined) throw new Fault("bodyEmpty");
  const inputs = inputsOf(request.body);
  const { calls, retryAfterSeconds } = request.admission;
  const mayBeTooLarge = !(Number(request.headers["content-length"]) <= bytesMax.json);
  const submit = async (path: string, position: number): Promise<unknown> => {
    const entry = procedures.get(path);
    // Not counted: it is a stranger's text and must not become a label.
    if (entry === undefined) throw new Fault("notFound");
    const input = inputs[position];
    const isTooLarge = mayBeTooLarge && Buffer.byteLength(JSON.stringify(input) ?? "") > jsonBytesMaxOf(entry);
    if (position < calls && !isTooLarge)
      return answerCall(door, entry, { request, reply, by: "rpc", input: inputOf(input) });
    const fault = isTooLarge ? new Fault("bodyTooLarge") : new Fault("rateLimited", { retryAfterSeconds });
    countRefusal(door, path, "rpc", fault);
    throw fault;
  };
  const answers = paths.map((path, position) => answerOf(request, reply, path, submit(path, position)));
  return sendBatch(request, reply, answers);
}

/** The inputs of a batch, by position. @throws Fault `bodyNotObject` */
export const inputsOf = (body: unknown) => objectOnly(body) as Readonly<Record<string, unknown>>;

/** The answer to a call in tRPC's envelope. */
export async function answerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  result: Promise<unknown>,
): Promise<Answer> {
  try {
    return { status: 200, body: { result: { data: await result } } };
  } catch (error) {
    noteFailure(request, reply, error);
    const shape = errorShape(error, path, request.id);
    return { status: shape.data.httpStatus, body: { error: shape } };
  }
}

/** The answers of a batch: together, with 207 when they ended differently, or each as soon as it is there. */
export async function sendBatch(
  request: FastifyRequest,
  reply: FastifyReply,
  calls: readonly Promise<Answer>[],
): Promise<FastifyReply> {
  if (wantsLines(request)) return sendLines(request, reply, calls.length, asTheyEnd(calls));
  const answers = await Promise.all(calls);
  const [status = 200, ...others] = new Set(answers.map((answer) => answer.status));
  return sendJson(reply, { status: others.length > 0 ? 207 : status, body: answers.map(({ body }) => body) });
}

async function* asTheyEnd(calls: readonly Promise<Answer>[]) {
  const open = new Map(calls.map((call, number) => [number, call.then(({ body }) => [number, body] as const)]));
  while (open.size > 0) {
    const answer = await Promise.race(open.values());
    open.delete(answer[0]);
    yield answer;
  }
}

const pathsOf = ({ params, routeOptions: { url = "" } }: FastifyRequest): string[] =>
  listed((params as { paths?: string }).paths ?? url.slice(rpcPrefix.length + 1));

const batchesOnly: onRequestHookHandler = (request, _reply, done) =>
  done(isBatch(request) ? undefined : new Fault("notFound"));
