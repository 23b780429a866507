// Refuses addresses that do not exist (404) and methods that an address does not take (405, with Allow), before any
// body is read.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../fault.ts";
import { refuse } from "../fault-reply.ts";
import { batchRoute, isRpcPath } from "../rpc.ts";

/** Must be called before any route is added: it learns the addresses from the routes. */
export function refuseUnknownAddresses(app: FastifyInstance): void {
  const methods = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
  });
  // All lists of procedures are one address. A process without doors has none of them.
  const routeOf = (path: string) => (isRpcPath(path) && !methods.has(path) ? batchRoute : path);
  const allowed = (path: string): string | undefined => {
    const known = methods.get(routeOf(path));
    return known && [...known].join(", ");
  };

  const refuseAddress = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const allow = allowed(request.url.replace(/\?.*$/s, ""));
    if (allow !== undefined) reply.header("allow", allow);
    return refuse(request, reply, new Fault(allow === undefined ? "notFound" : "methodNotSupported"));
  };
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) return done();
    refuseAddress(request, reply);
  });
  // Never reached with the hook in place, but without it Fastify would answer in its own words.
  app.setNotFoundHandler(refuseAddress);
}
