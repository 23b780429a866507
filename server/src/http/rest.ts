// The REST door: one real Fastify route for each procedure with a REST address, made from its `openapi` meta.
import multipart from "@fastify/multipart";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { CallCounter } from "../rpc/context.ts";
import { callProcedure, countRefusal, procedures, type ProcedureEntry } from "../rpc/procedures.ts";
import type { Deps } from "../deps.ts";
import { takeUrlencoded } from "./body-parsers.ts";
import { callOf } from "./call.ts";
import type { BodyKind } from "./content-type.ts";
import { refuse } from "./fault-reply.ts";
import type { Guard } from "./guard.ts";
import { ProcedureInput } from "./procedure-input.ts";

interface Door {
  readonly deps: Deps;
  readonly count: CallCounter;
  readonly guard: Guard;
}

/** Adds the REST routes. JSON bodies are parsed by the scope around them. */
export async function restDoor(app: FastifyInstance, door: Door): Promise<void> {
  for (const entry of procedures) {
    if (!entry.contentTypes.includes("multipart/form-data")) {
      addRoute(app, entry, door);
      continue;
    }
    // In a scope of its own: the plugin's hooks would cost every other request a little.
    await app.register(async (scope) => {
      takeUrlencoded(scope);
      await scope.register(multipart, { throwFileSizeLimit: false });
      addRoute(scope, entry, door);
    });
  }
}

function addRoute(app: FastifyInstance, entry: ProcedureEntry, { deps, count, guard }: Door): void {
  const accepted = entry.contentTypes as readonly BodyKind[];
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
      try {
        await using input = new ProcedureInput(request, accepted, deps.vault.stagingFolder);
        const ctx = { deps, count, admission: request.admission, call: callOf(request, reply, "rest") };
        return await callProcedure(entry.path, ctx, () => input.read());
      } catch (error) {
        return refuse(request, reply, error);
      }
    },
  });
}
