// Refuses addresses that do not exist (404) and methods that an address does not take (405, with Allow), before any
// body is read.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { replyWithFault } from "./fault-reply.ts";
import { isRpcPath, refuseRpc, rpcPrefix } from "./rpc.ts";

/** Must be called before any route is added: it learns the addresses from the routes. */
export function refuseUnknownAddresses(app: FastifyInstance): void {
  const methods = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
  });
  const allowed = (path: string): string | undefined =>
    methods.has(path) ? [...(methods.get(path) ?? [])].join(", ") : isRpcPath(path) ? "POST" : undefined;

  const refuse = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.url.replace(/[?#].*$/s, "");
    const allow = allowed(path);
    if (allow !== undefined) reply.header("allow", allow);
    const fault = new Fault(allow === undefined ? "notFound" : "methodNotSupported");
    return path.startsWith(`${rpcPrefix}/`) ? refuseRpc(request, reply, fault) : replyWithFault(request, reply, fault);
  };
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) return done();
    refuse(request, reply);
  });
  // Never reached with the hook in place, but without it Fastify would answer in its own words.
  app.setNotFoundHandler(refuse);
}
