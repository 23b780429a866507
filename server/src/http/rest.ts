// The REST door: one real Fastify route for each procedure, made from its `openapi` meta. Browsers that post a form
// without script come here too, and are answered with pages.
import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { countRefusal } from "../rpc/procedure.ts";
import { callProcedure, procedures, type ProcedureEntry } from "../rpc/router.ts";
import { Fault } from "../fault.ts";
import { contextOf, type DoorOptions, type InputOptions, withInput } from "./call.ts";
import { type BodyKind, takeUrlencoded } from "./body/content-type.ts";
import { FormBody, formShapes } from "./body/form-body.ts";
import { refuse } from "./fault-reply.ts";
import { thanksAddress } from "./pages/page-answer.ts";
import { variesBy } from "./headers.ts";

/** Adds the REST routes, each in a scope of its own for the bodies that it takes. JSON is parsed by the scope around. */
export async function restDoor(app: FastifyInstance, door: DoorOptions): Promise<void> {
  for (const entry of procedures.values()) {
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

function addRoute(app: FastifyInstance, entry: ProcedureEntry, door: DoorOptions): void {
  app.route({
    method: entry.method,
    url: entry.url,
    onRequest: door.guard.hook({
      refuseAll(request, reply, fault) {
        countRefusal({ count: door.count, door: "rest" }, entry.path, fault);
        refuse(request, reply, fault);
      },
    }),
    handler: async (request, reply) => {
      variesBy(reply, "Accept");
      try {
        const receipt = await withInput(request, door, inputOf(request, entry), (read) =>
          callProcedure(entry.path, contextOf(request, reply, door, "rest"), read),
        );
        return request.page ? reply.redirect(thanksAddress(request, receipt), 303) : receipt;
      } catch (error) {
        return refuse(request, reply, error);
      }
    },
  });
}

function inputOf(request: FastifyRequest, entry: ProcedureEntry): InputOptions {
  const accepted = entry.contentTypes as readonly BodyKind[];
  if (!request.page) return { accepted };
  const form = new FormBody(formShapes[entry.path], { keyed: true });
  request.page.fields = form.fields;
  return { accepted: [...accepted, "application/x-www-form-urlencoded"], form };
}
