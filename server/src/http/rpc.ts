// The typed door: tRPC's wire format over POST, single and batched. Calls are answered here with tRPC's public parts,
// because the stock adapter builds a web Request and Response for each at several times the cost; streamed batches,
// which few clients ask for, go to the stock resolver.
import multipart from "@fastify/multipart";
import { batchCallsMax } from "@submissions/shared/limits";
import { resolveResponse } from "@trpc/server/http";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Deps } from "../deps.ts";
import { Fault } from "../fault.ts";
import type { CallCounter, Context } from "../rpc/context.ts";
import { errorShape } from "../rpc/error-shape.ts";
import { callProcedure, countRefusal, forwardingRouter, procedures } from "../rpc/procedures.ts";
import { callOf } from "./call.ts";
import type { BodyKind } from "./body/content-type.ts";
import { noteFailure, refuse, rpcPrefix } from "./fault-reply.ts";
import type { Guard } from "./gate/rate-limit.ts";
import { objectOnly, ProcedureInput } from "./body/procedure-input.ts";

interface Collaborators {
  readonly deps: Deps;
  readonly count: CallCounter;
  readonly guard: Guard;
}

/** Adds the typed routes. JSON bodies are parsed by the scope around them. */
export async function rpcDoor(app: FastifyInstance, { deps, count, guard }: Collaborators): Promise<void> {
  const door = new RpcDoor(deps, count);
  const admitted = (path?: string) =>
    guard.hook({
      calls: (request) => Math.min(pathsOf(request, path).length, batchCallsMax),
      refuseAll: (request, reply, fault) => door.refuseAll(request, reply, pathsOf(request, path), fault),
    });
  for (const { path, contentTypes } of procedures) {
    const url = `${rpcPrefix}/${path}`;
    if (!contentTypes.includes("multipart/form-data")) {
      app.post(url, { onRequest: admitted(path) }, (request, reply) =>
        door.call(request, reply, path, ["application/json"]),
      );
      continue;
    }
    await app.register(async (scope) => {
      await scope.register(multipart, { throwFileSizeLimit: false });
      scope.post(url, { onRequest: admitted(path) }, (request, reply) =>
        door.call(request, reply, path, ["application/json", "multipart/form-data"]),
      );
    });
  }
  // Batches, whose path lists the procedures.
  app.post<{ Params: { paths: string } }>(batchRoute, { onRequest: [batchesOnly, admitted()] }, (request, reply) =>
    door.callAll(request, reply, request.params.paths),
  );
}

/** The address of calls that come together: their procedures with commas between them. */
export const batchRoute = `${rpcPrefix}/:paths`;

/** Whether every procedure that a path below {@link rpcPrefix} lists exists. */
export const isRpcPath = (url: string): boolean =>
  url.startsWith(`${rpcPrefix}/`) &&
  url
    .slice(rpcPrefix.length + 1)
    .split(",")
    .every((path) => procedures.some((entry) => entry.path === path));

class RpcDoor {
  readonly #deps: Deps;
  readonly #count: CallCounter;

  constructor(deps: Deps, count: CallCounter) {
    this.#deps = deps;
    this.#count = count;
  }

  /** Answers a request of which no call is admitted. */
  refuseAll(request: FastifyRequest, reply: FastifyReply, paths: readonly string[], fault: Fault): void {
    for (const path of paths) countRefusal(path, "rpc", this.#count, fault);
    if (!isBatch(request) || wantsStream(request)) return void refuse(request, reply, fault);
    noteFailure(request, reply, fault);
    const answers = paths.map((path) => ({ error: errorShape(fault, path, request.id) }));
    reply.code(answers[0]?.error.data.httpStatus ?? 500).send(answers);
  }

  /** One call, or a batch of one. */
  async call(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    accepted: readonly BodyKind[],
  ): Promise<unknown> {
    if (isBatch(request)) return this.callAll(request, reply, path);
    await using input = new ProcedureInput(request, { accepted, stagingFolder: this.#deps.vault.stagingFolder });
    const { status, body } = await this.#answer(request, reply, path, () => input.read());
    reply.code(status);
    return body;
  }

  /** A batch: inputs by position, answers in the same order, 207 when they ended differently. */
  async callAll(request: FastifyRequest, reply: FastifyReply, list: string): Promise<unknown> {
    const paths = list.split(",");
    if (paths.length > batchCallsMax) throw new Fault("batchTooLarge");
    // One key cannot stand for several submissions.
    if (paths.length > 1 && request.headers["idempotency-key"] !== undefined) throw new Fault("idempotencyKeyInvalid");
    await using input = new ProcedureInput(request, {
      accepted: ["application/json"],
      stagingFolder: this.#deps.vault.stagingFolder,
    });
    const inputs = objectOnly(await input.read()) as Record<string, unknown>;
    if (wantsStream(request)) return this.#stream(request, reply, list);
    const answers = await Promise.all(
      paths.map((path, position) =>
        this.#answer(request, reply, path, async () => objectOnly(inputs[String(position)]), position),
      ),
    );
    const [first] = answers;
    reply.code(answers.every(({ status }) => status === first?.status) ? (first?.status ?? 200) : 207);
    return answers.map(({ body }) => body);
  }

  async #answer(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    getRawInput: () => Promise<unknown>,
    batchIndex?: number,
  ): Promise<{ readonly status: number; readonly body: object }> {
    try {
      const data = await callProcedure(path, this.#context(request, reply), getRawInput, batchIndex);
      return { status: 200, body: { result: { data } } };
    } catch (error) {
      noteFailure(request, reply, error);
      const shape = errorShape(error, path, request.id);
      return { status: shape.data.httpStatus, body: { error: shape } };
    }
  }

  // Streamed batches (`httpBatchStreamLink`): answers as JSON lines, each as soon as it is there.
  async #stream(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
    const response = await resolveResponse({
      router: forwardingRouter,
      req: new Request(new URL(request.url, "http://internal"), {
        method: "POST",
        headers: { "content-type": "application/json", "trpc-accept": "application/jsonl" },
        body: jsonAgain(request.body),
      }),
      path,
      error: null,
      allowBatching: true,
      maxBatchSize: batchCallsMax,
      createContext: async () => this.#context(request, reply),
      onError: ({ error }) => noteFailure(request, reply, error),
    });
    return reply.send(response);
  }

  #context(request: FastifyRequest, reply: FastifyReply): Context {
    const { admission } = request;
    return { deps: this.#deps, count: this.#count, admission, call: callOf(request, reply, "rpc") };
  }
}

// What was parsed may be nested deeper than the stack that writing it takes.
function jsonAgain(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new Fault("bodyMalformed", { cause: error });
  }
}

const isBatch = (request: FastifyRequest) => (request.query as { batch?: unknown }).batch === "1";

const pathsOf = (request: FastifyRequest, path?: string): string[] =>
  path === undefined ? (request.params as { paths: string }).paths.split(",") : [path];

const batchesOnly: onRequestHookHandler = (request, _reply, done) =>
  done(isBatch(request) ? undefined : new Fault("notFound"));

const wantsStream = (request: FastifyRequest) => request.headers["trpc-accept"] === "application/jsonl";
