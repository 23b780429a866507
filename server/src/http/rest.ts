// The REST door: a Fastify route for each procedure. Browsers that post a form without script are answered with pages.
import multipart from "@fastify/multipart";
import { bytesMax } from "@submissions/shared/limits";
import type { FastifyInstance } from "fastify";
import type { BodyKind, Procedure } from "../rpc/procedure.ts";
import { answerCall, type DoorOptions, jsonBytesMaxOf, readBody } from "./call.ts";
import { acceptBodies, takeUrlencoded } from "./body/content-type.ts";
import { refuse } from "./fault-reply.ts";
import { variesBy } from "./headers.ts";

/** Adds the REST routes, each in a scope of its own for the bodies that it takes. JSON is parsed by the scope around. */
export async function restDoor(app: FastifyInstance, door: DoorOptions): Promise<void> {
  for (const procedure of door.procedures) await app.register((scope) => addRoute(scope, procedure, door));
}

async function addRoute(app: FastifyInstance, procedure: Procedure, door: DoorOptions): Promise<void> {
  const { path, url, contentTypes } = procedure;
  const jsonBytesMax = jsonBytesMaxOf(procedure);
  const ofBrowsers = [...new Set<BodyKind>([...contentTypes, "application/x-www-form-urlencoded"])];
  takeUrlencoded(app, door.awaitTurn);
  if (contentTypes.includes("multipart/form-data")) await app.register(multipart, { throwFileSizeLimit: false });
  app.route({
    method: "POST",
    url,
    config: { door: "rest", procedure: path },
    // URL-encoded forms have a limit of their own where JSON has the usual one.
    ...(jsonBytesMax > bytesMax.json && { bodyLimit: jsonBytesMax }),
    onRequest: door.guard.hook(),
    // Browsers without script send forms to all three. Programs may do so where it is documented.
    preParsing: acceptBodies(({ exchange }) => (exchange.page === null ? contentTypes : ofBrowsers)),
    handler: async (request, reply) => {
      variesBy(reply, "Accept");
      const { page } = request.exchange;
      const body = await readBody(request, procedure, door);
      try {
        const receipt = await answerCall(door, procedure, "rest", request, body);
        return page === null ? receipt : reply.redirect(page.after(receipt, body.form), 303);
      } catch (error) {
        return refuse(request, reply, error, body.form);
      }
    },
  });
}
