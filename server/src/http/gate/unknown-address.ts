// Refuses unknown addresses (404), and methods that an address does not take (405, with Allow), before a body is read.
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";

/** The route that @fastify/cors adds for preflights of any address. */
const preflights = "*";

interface Known {
  readonly matches: (path: string) => boolean;
  readonly methods: string[];
}

/** It learns the addresses from the routes that are added after it. */
export function refuseUnknownAddresses(app: FastifyInstance): void {
  const known: Known[] = [];
  app.addHook("onRoute", ({ url, method, config }) => {
    if (url !== preflights) known.push({ matches: config?.matches ?? matcherOf(url), methods: [method].flat() });
  });
  app.addHook("onRequest", (request, reply, done) => {
    // A preflight was answered before. Any other OPTIONS is a method like others.
    const isUnknown = request.is404 || (request.method === "OPTIONS" && request.routeOptions.url === preflights);
    if (!isUnknown) return done();
    // The router takes both for the same address. `originForm` has left nothing that cannot be decoded.
    const path = decodeURI(request.url.replace(/\?.*$/s, ""));
    const methods = new Set(known.flatMap((one) => (one.matches(path) ? one.methods : [])));
    if (methods.size > 0) reply.header("allow", [...methods].join(", "));
    done(new Fault(methods.size > 0 ? "methodNotSupported" : "notFound"));
  });
  // Never reached, but without it Fastify would answer in its own words.
  app.setNotFoundHandler(() => {
    throw new Fault("notFound");
  });
}

function matcherOf(url: string): Known["matches"] {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part === "*") return ".*";
    return part.startsWith(":") ? "[^/]+" : RegExp.escape(part);
  });
  const pattern = new RegExp(`^${parts.join("")}$`);
  return (path) => pattern.test(path);
}
