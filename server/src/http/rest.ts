// The REST door: one real Fastify route for each procedure with a REST address, made from its `openapi` meta. A browser
// that posts a form without script comes here too, and is answered with pages.
import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { CallCounter } from "../rpc/context.ts";
import { callProcedure, countRefusal, procedures, type ProcedureEntry } from "../rpc/procedures.ts";
import type { Deps } from "../deps.ts";
import { Fault } from "../fault.ts";
import { takeUrlencoded } from "./body/whole-body.ts";
import { callOf, idempotencyKeyOfForm } from "./call.ts";
import type { BodyKind } from "./body/content-type.ts";
import { refuse } from "./fault-reply.ts";
import { FormBody } from "./body/form-body.ts";
import { formShapes } from "./body/form-shapes.ts";
import type { Guard } from "./gate/rate-limit.ts";
import { ProcedureInput } from "./body/procedure-input.ts";
import { thanksAddress } from "./pages/page-answer.ts";
import { variesBy } from "./vary.ts";

interface Door {
  readonly deps: Deps;
  readonly count: CallCounter;
  readonly guard: Guard;
}

/** Adds the REST routes, each in a scope of its own for the bodies that it takes. JSON is parsed by the scope around. */
export async function restDoor(app: FastifyInstance, door: Door): Promise<void> {
  for (const entry of procedures) {
    await app.register(async (scope) => {
      takeUrlencoded(scope);
      const withFiles = entry.contentTypes.includes("multipart/form-data");
      if (withFiles) await scope.register(multipart, { throwFileSizeLimit: false });
      else takeUrlencodedOfPagesOnly(scope);
      addRoute(scope, entry, door);
    });
  }
}

// A program is refused before its body is read, as with any type that is not documented.
function takeUrlencodedOfPagesOnly(app: FastifyInstance): void {
  app.addHook("preParsing", (request, _reply, payload, done) => {
    const urlencoded = /^\s*application\/x-www-form-urlencoded/i.test(request.headers["content-type"] ?? "");
    if (urlencoded && !request.page) return done(new Fault("contentTypeUnsupported"));
    done(null, payload);
  });
}

function addRoute(app: FastifyInstance, entry: ProcedureEntry, { deps, count, guard }: Door): void {
  app.route({
    method: entry.method,
    url: entry.url,
    // Serialising by schema is quicker, and lets nothing through that is not documented.
    schema: { response: { 200: z.toJSONSchema(entry.output, { target: "draft-7" }) } },
    onRequest: guard.hook({
      calls: () => 1,
      refuseAll(request, reply, fault) {
        countRefusal(entry.path, "rest", count, fault);
        refuse(request, reply, fault);
      },
    }),
    handler: async (request, reply) => {
      variesBy(reply, "Accept");
      try {
        const receipt = await call(request, reply, entry, { deps, count });
        return request.page ? reply.redirect(thanksAddress(entry.url, receipt), 303) : receipt;
      } catch (error) {
        return refuse(request, reply, error);
      }
    },
  });
}

// What the request left in the staging folder is gone when this resolves, so before the answer.
async function call(
  request: FastifyRequest,
  reply: FastifyReply,
  entry: ProcedureEntry,
  { deps, count }: Omit<Door, "guard">,
): Promise<unknown> {
  await using input = inputOf(request, entry, deps.vault.stagingFolder);
  const ctx = { deps, count, admission: request.admission, call: callOf(request, reply, "rest") };
  return await callProcedure(entry.path, ctx, async (made) => {
    const read = await input.read();
    if (request.page?.fields) made.idempotencyKey ??= idempotencyKeyOfForm(request.page.fields);
    return read;
  });
}

function inputOf(request: FastifyRequest, entry: ProcedureEntry, stagingFolder: string): ProcedureInput {
  const accepted = entry.contentTypes as readonly BodyKind[];
  if (!request.page) return new ProcedureInput(request, { accepted, stagingFolder });
  const form = new FormBody(formShapes[entry.path], { keyed: true });
  request.page.fields = form.fields;
  return new ProcedureInput(request, {
    accepted: [...accepted, "application/x-www-form-urlencoded"],
    stagingFolder,
    form,
  });
}
