// The typed door: tRPC over POST. Its stock adapter builds a web Request and Response, and takes uploads without limit.
import multipart from "@fastify/multipart";
import { batchCallsMax, bytesMax } from "@submissions/shared/limits";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { Fault } from "../fault.ts";
import type { BodyKind, Procedure } from "../rpc/procedure.ts";
import { acceptBodies } from "./body/content-type.ts";
import { answerCall, bodyOf, type DoorOptions, jsonBytesMaxOf, readBody } from "./call.ts";
import { answerOf, refuse } from "./fault-reply.ts";
import { isBatch, objectOnly, rpcPath, rpcPrefix, sendBatch, wantsLines } from "./rpc-wire.ts";

const config = { door: "rpc" } as const;
const ofBatches: readonly BodyKind[] = ["application/json"];

/** Adds the typed routes. JSON bodies are parsed by the scope around them. */
export async function rpcDoor(app: FastifyInstance, door: DoorOptions): Promise<void> {
  const procedures = new Map(door.procedures.map((one) => [one.path as string, one]));
  const onRequest = door.guard.hook({
    calls: (request) => (isBatch(request) ? Math.min(pathsOf(request).length, batchCallsMax) : 1),
    refuseAll,
  });
  const answerAll = (request: FastifyRequest, reply: FastifyReply) =>
    answerSubmissions(request, reply, door, procedures);
  for (const procedure of door.procedures) {
    const { path } = procedure;
    const accepted = procedure.contentTypes.filter((type) => type !== "application/x-www-form-urlencoded");
    await app.register(async (scope) => {
      if (accepted.includes("multipart/form-data")) await scope.register(multipart, { throwFileSizeLimit: false });
      const preParsing = acceptBodies((request) => (isBatch(request) ? ofBatches : accepted));
      const bodyLimit = jsonBytesMaxOf(procedure);
      scope.post(`${rpcPrefix}/${path}`, { config, onRequest, preParsing, bodyLimit }, async (request, reply) => {
        if (isBatch(request)) return answerAll(request, reply);
        const receipt = answerCall(door, procedure, "rpc", request, await readBody(request, procedure, door));
        const { status, body } = await answerOf(request, reply, path, receipt);
        return reply.code(status).send(body);
      });
    });
  }
  const isBatchPath = (path: string) => {
    const names = path.startsWith(`${rpcPrefix}/`) ? path.slice(rpcPrefix.length + 1).split(",") : [""];
    return names.every((one) => procedures.has(one));
  };
  app.route({
    method: "POST",
    // Procedures with commas between them. All lists are one address.
    url: `${rpcPrefix}/:paths`,
    config: { ...config, matches: isBatchPath },
    onRequest: [batchesOnly, onRequest],
    preParsing: acceptBodies(() => ofBatches),
    bodyLimit: bytesMax.jsonOfBatch,
    handler: answerAll,
  });
}

const pathsOf = (request: FastifyRequest): string[] => rpcPath(request).split(",");

const batchesOnly: onRequestHookHandler = (request, _reply, done) =>
  done(isBatch(request) ? undefined : new Fault("notFound"));

/** Answers a request of which no call is admitted: of a batch each call, as clients expect it. */
function refuseAll(request: FastifyRequest, reply: FastifyReply, fault: Fault): void {
  if (!isBatch(request) || wantsLines(request)) return void refuse(request, reply, fault);
  const answers = pathsOf(request).map((path) => answerOf(request, reply, path, Promise.reject(fault)));
  void sendBatch(request, reply, answers);
}

/** A batch: inputs by position, answers in the same order. */
async function answerSubmissions(
  request: FastifyRequest,
  reply: FastifyReply,
  door: DoorOptions,
  procedures: ReadonlyMap<string, Procedure>,
): Promise<FastifyReply> {
  const paths = pathsOf(request);
  if (paths.length > batchCallsMax) throw new Fault("batchTooLarge");
  // One key cannot stand for several submissions.
  if (paths.length > 1 && request.headers["idempotency-key"] !== undefined) throw new Fault("idempotencyKeyInvalid");
  if (request.body === undefined) throw new Fault("bodyEmpty");
  const inputs = objectOnly(request.body);
  const { calls, retryAfterSeconds } = request.exchange.admission;
  const mayBeTooLarge = !(Number(request.headers["content-length"]) <= bytesMax.json);
  const submit = async (path: string, position: number): Promise<unknown> => {
    const procedure = procedures.get(path);
    if (procedure === undefined) throw new Fault("notFound");
    const input = inputs[position];
    if (mayBeTooLarge && Buffer.byteLength(JSON.stringify(input) ?? "") > jsonBytesMaxOf(procedure)) {
      throw new Fault("bodyTooLarge");
    }
    if (position >= calls) throw new Fault("rateLimited", { retryAfterSeconds });
    return answerCall(door, procedure, "rpc", request, bodyOf(input));
  };
  const answers = paths.map((path, position) => answerOf(request, reply, path, submit(path, position)));
  return sendBatch(request, reply, answers);
}
