// The REST door: one real Fastify route for each procedure, made from its `openapi` meta. Browsers that post a form
// without script come here too, and are answered with pages.
import multipart from "@fastify/multipart";
import { bytesMax } from "@submissions/shared/limits";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ProcedureEntry } from "../rpc/procedure.ts";
import { procedures } from "../rpc/router.ts";
import { answerCall, countRefusal, type DoorOptions, jsonBytesMaxOf } from "./call.ts";
import { acceptBodies, type BodyKind, takeUrlencoded } from "./body/content-type.ts";
import { FormBody, formShapes } from "./body/form-body.ts";
import { refuse } from "./fault-reply.ts";
import { variesBy } from "./headers.ts";

/** Adds the REST routes, each in a scope of its own for the bodies that it takes. JSON is parsed by the scope around. */
export async function restDoor(app: FastifyInstance, door: DoorOptions): Promise<void> {
  for (const entry of procedures.values()) await app.register((scope) => addRoute(scope, entry, door));
}

async function addRoute(app: FastifyInstance, entry: ProcedureEntry, door: DoorOptions): Promise<void> {
  const { path, contentTypes } = entry;
  const jsonBytesMax = jsonBytesMaxOf(entry);
  /** Answers a request that is refused before its call is made, and counts it. */
  const refuseAll = (request: FastifyRequest, reply: FastifyReply, error: unknown): void => {
    countRefusal(door, path, "rest", error);
    refuse(request, reply, error);
  };
  app.setErrorHandler((error, request, reply) => refuseAll(request, reply, error));
  takeUrlencoded(app);
  if (contentTypes.includes("multipart/form-data")) await app.register(multipart, { throwFileSizeLimit: false });
  app.route({
    method: entry.method,
    url: entry.url,
    // URL-encoded forms have a limit of their own where JSON has the usual one.
    ...(jsonBytesMax > bytesMax.json && { bodyLimit: jsonBytesMax }),
    onRequest: door.guard.hook({ refuseAll }),
    // Browsers without script send forms to all three. Programs may do so where it is documented.
    preParsing: acceptBodies(
      ({ page }) => (page ? [...contentTypes, "application/x-www-form-urlencoded"] : contentTypes) as BodyKind[],
    ),
    handler: async (request, reply) => {
      variesBy(reply, "Accept");
      const { page } = request;
      // Shown again by the page of a refusal.
      if (page) page.form = new FormBody(formShapes[path], { keyed: true });
      try {
        const receipt = await answerCall(door, entry, { request, reply, by: "rest", form: page?.form });
        return page ? reply.redirect(page.after(receipt), 303) : receipt;
      } catch (error) {
        return refuse(request, reply, error);
      }
    },
  });
}
