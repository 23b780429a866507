// Has requests traced from their first hook to their answer, if anything is traced.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RequestTrace, Traces } from "../observe/traces.ts";
import { quietRoutes, routeOf } from "./request-log.ts";

export function traceRequests(app: FastifyInstance, traces: Traces | null): void {
  app.decorateRequest("trace", null);
  if (traces === null) return;
  app.addHook("onRequest", (request, reply, done) => {
    const { traceparent } = request.headers;
    if (!quietRoutes.has(routeOf(request))) request.trace = traces.begin(begunAt(reply), traceparent);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    end(request, reply.statusCode);
    done();
  });
  app.addHook("onRequestAbort", (request, done) => {
    end(request, null);
    done();
  });
}

/** By `performance.now()`. */
export const begunAt = (reply: FastifyReply): number => performance.now() - reply.elapsedTime;

function end(request: FastifyRequest, status: number | null): void {
  const { trace, method, id, failure } = request;
  request.trace = null;
  trace?.end({ method, route: routeOf(request), status, requestId: id, fault: failure?.fault ?? null });
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null: the request is not traced. */
    trace: RequestTrace | null;
  }
}
