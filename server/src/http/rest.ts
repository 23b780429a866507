// The REST door: one real Fastify route for each procedure, made from its `openapi` meta. Browsers that post a form
// without script come here too, and are answered with pages.
import multipart from "@fastify/multipart";
import { bytesMax } from "@submissions/shared/limits";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ProcedureEntry } from "../rpc/procedure.ts";
import { procedures } from "../rpc/router.ts";
import { answerCall, countRefusal, type DoorOptions, jsonBytesMaxOf } from "./call.ts";
import { acceptBodies, type BodyKind, takeUrlencoded } from "./body/content-type.ts";
import { FormBody, formShapes } from "./body/form-body.ts";
import { refuse } from "./fault-reply.ts";
import { variesBy } from "./headers.ts";

/** Adds the REST routes, each in a scope of its own for the bodies that it takes. JSON is parsed by the scope around. */
export async function restDoor(app: FastifyInstance, door: DoorOptions): Promise<void> {
  for (const entry of procedures.values()) {
    await app.register(async (scope) => {
      takeUrlencoded(scope);
      const withFiles = entry.contentTypes.includes("multipart/form-data");
      if (withFiles) await scope.register(multipart, { throwFileSizeLimit: false });
      addRoute(scope, entry, door);
    });
  }
}

function addRoute(app: FastifyInstance, entry: ProcedureEntry, door: DoorOptions): void {
  app.route({
    method: entry.method,
    url: entry.url,
    // URL-encoded forms have a limit of their own where JSON has the usual one.
    ...(jsonBytesMaxOf(entry) > bytesMax.json && { bodyLimit: jsonBytesMaxOf(entry) }),
    onRequest: door.guard.hook({
      refuseAll(request, reply, fault) {
        countRefusal(door, entry.path, "rest", fault);
        refuse(request, reply, fault);
      },
    }),
    preParsing: acceptBodies((request) => acceptedOf(request, entry)),
    handler: async (request, reply) => {
      variesBy(reply, "Accept");
      try {
        const receipt = await answerCall(door, entry, { request, reply, by: "rest", form: formOf(request, entry) });
        return request.page ? reply.redirect(request.page.after(receipt), 303) : receipt;
      } catch (error) {
        return refuse(request, reply, error);
      }
    },
  });
}

// Browsers without script send forms to all three. Programs may do so where it is documented.
const acceptedOf = ({ page }: FastifyRequest, { contentTypes }: ProcedureEntry) =>
  (page ? [...contentTypes, "application/x-www-form-urlencoded"] : contentTypes) as BodyKind[];

/** What gathers the fields of a form that is answered with a page: the page shows them again. */
function formOf({ page }: FastifyRequest, { path }: ProcedureEntry): FormBody | undefined {
  if (!page) return undefined;
  page.form = new FormBody(formShapes[path], { keyed: true });
  return page.form;
}
