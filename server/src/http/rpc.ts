// The typed door: tRPC's wire format over POST, single and batched. Calls are answered here, because the stock adapter
// builds a web Request and Response for each and takes uploads without limit. Streamed batches go to tRPC's own resolver.
import multipart from "@fastify/multipart";
import { batchCallsMax } from "@submissions/shared/limits";
import type { AnyTRPCRouter } from "@trpc/server";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { Fault } from "../fault.ts";
import { errorShape } from "../rpc/failure.ts";
import { type Context, countRefusal, objectOnly } from "../rpc/procedure.ts";
import { appRouter, callProcedure, procedures } from "../rpc/router.ts";
import { acceptBodies, type BodyKind } from "./body/content-type.ts";
import { contextOf, type DoorOptions, withInput } from "./call.ts";
import { noteFailure, refuse, rpcPrefix } from "./fault-reply.ts";

/** Adds the typed routes. JSON bodies are parsed by the scope around them. */
export async function rpcDoor(app: FastifyInstance, door: DoorOptions): Promise<void> {
  const admitted = (path?: string) =>
    door.guard.hook({
      calls: (request) => Math.min(pathsOf(request, path).length, batchCallsMax),
      refuseAll: (request, reply, fault) => refuseAll(request, reply, door, pathsOf(request, path), fault),
    });
  for (const { path, contentTypes } of procedures.values()) {
    const accepted = contentTypes.filter((type) => type !== "application/x-www-form-urlencoded") as BodyKind[];
    await app.register(async (scope) => {
      if (accepted.includes("multipart/form-data")) await scope.register(multipart, { throwFileSizeLimit: false });
      const preParsing = acceptBodies((request) => (isBatch(request) ? ofBatches : accepted));
      scope.post(`${rpcPrefix}/${path}`, { onRequest: admitted(path), preParsing }, async (request, reply) => {
        if (isBatch(request)) return answerBatch(request, reply, door, path);
        const context = contextOf(request, reply, door, "rpc");
        const { status, body } = await withInput(request, door, undefined, (read) =>
          answerCall(request, reply, context, path, read),
        );
        reply.code(status);
        return body;
      });
    });
  }
  const gates = { onRequest: [batchesOnly, admitted()], preParsing: acceptBodies(() => ofBatches) };
  app.post<{ Params: { paths: string } }>(batchRoute, gates, (request, reply) =>
    answerBatch(request, reply, door, request.params.paths),
  );
}

const ofBatches: readonly BodyKind[] = ["application/json"];

/** The address of calls that come together: their procedures with commas between them. */
export const batchRoute = `${rpcPrefix}/:paths`;

/** Whether every procedure that a path below {@link rpcPrefix} lists exists. */
export const isRpcPath = (url: string): boolean =>
  url.startsWith(`${rpcPrefix}/`) &&
  url
    .slice(rpcPrefix.length + 1)
    .split(",")
    .every((path) => procedures.has(path));

/** Answers a request of which no call is admitted. */
function refuseAll(
  request: FastifyRequest,
  reply: FastifyReply,
  { count }: DoorOptions,
  paths: readonly string[],
  fault: Fault,
): void {
  for (const path of paths) if (procedures.has(path)) countRefusal({ count, door: "rpc" }, path, fault);
  if (!isBatch(request) || wantsStream(request)) return void refuse(request, reply, fault);
  const answers = paths.map((path) => {
    noteFailure(request, reply, fault);
    return { error: errorShape(fault, path, request.id) };
  });
  sendList(reply, answers[0]?.error.data.httpStatus ?? 500, answers);
}

/** A batch: inputs by position, answers in the same order, 207 when they ended differently. */
async function answerBatch(
  request: FastifyRequest,
  reply: FastifyReply,
  door: DoorOptions,
  list: string,
): Promise<FastifyReply> {
  const paths = list.split(",");
  if (paths.length > batchCallsMax) throw new Fault("batchTooLarge");
  // One key cannot stand for several submissions.
  if (paths.length > 1 && request.headers["idempotency-key"] !== undefined) throw new Fault("idempotencyKeyInvalid");
  const sent = await withInput(request, door, undefined, (read) => read());
  const inputs = objectOnly(sent) as Readonly<Record<string, unknown>>;
  const context = contextOf(request, reply, door, "rpc");
  if (wantsStream(request)) {
    // Each answer is sent as soon as it is there, as JSON lines. Clients with tRPC's `httpBatchStreamLink` need this. A
    // call costs some three times as much as in a plain batch.
    return resolveCalls(request, reply, { router: appRouter, context, paths: list, accept: streamed });
  }
  const answers = await Promise.all(
    paths.map((path, position) => answerCall(request, reply, context, path, async () => inputs[position], position)),
  );
  const [first] = answers;
  const status = answers.every((answer) => answer.status === first?.status) ? (first?.status ?? 200) : 207;
  return sendList(
    reply,
    status,
    answers.map(({ body }) => body),
  );
}

async function answerCall(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
  path: string,
  getRawInput: () => Promise<unknown>,
  batchIndex?: number,
): Promise<{ readonly status: number; readonly body: object }> {
  try {
    const data = await callProcedure(path, context, getRawInput, batchIndex);
    return { status: 200, body: { result: { data } } };
  } catch (error) {
    noteFailure(request, reply, error);
    const shape = errorShape(error, path, request.id);
    return { status: shape.data.httpStatus, body: { error: shape } };
  }
}

interface Resolved {
  readonly router: AnyTRPCRouter;
  readonly context: object;
  /** The procedures, with commas between them. */
  readonly paths: string;
  readonly accept?: typeof streamed;
}

/** Has tRPC's own resolver answer the calls of a request. It is loaded with the first of them. */
export async function resolveCalls(
  request: FastifyRequest,
  reply: FastifyReply,
  { router, context, paths, accept }: Resolved,
): Promise<FastifyReply> {
  const { resolveResponse } = await import("@trpc/server/http");
  const response = await resolveResponse({
    router,
    req: new Request(`http://internal/${isBatch(request) ? "?batch=1" : ""}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(accept && { "trpc-accept": accept }) },
      body: request.body === undefined ? null : jsonAgain(request.body),
    }),
    // It decodes what Fastify has decoded already.
    path: encodeURIComponent(paths),
    error: null,
    allowBatching: true,
    // Queries come by POST too.
    allowMethodOverride: true,
    createContext: async () => context,
    onError: ({ error }) => noteFailure(request, reply, error),
  });
  return reply.send(response);
}

const sendList = (reply: FastifyReply, status: number, answers: readonly object[]): FastifyReply =>
  reply.code(status).type("application/json; charset=utf-8").serializer(JSON.stringify).send(answers);

// What was parsed may be nested deeper than the stack that writing it takes.
function jsonAgain(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new Fault("bodyMalformed", { cause: error });
  }
}

export const isBatch = (request: FastifyRequest) => (request.query as { batch?: unknown }).batch === "1";

const pathsOf = (request: FastifyRequest, path?: string): string[] =>
  path === undefined ? (request.params as { paths: string }).paths.split(",") : [path];

const batchesOnly: onRequestHookHandler = (request, _reply, done) =>
  done(isBatch(request) ? undefined : new Fault("notFound"));

const streamed = "application/jsonl";
const wantsStream = (request: FastifyRequest) => request.headers["trpc-accept"] === streamed;
