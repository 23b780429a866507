// Refuses unknown addresses (404), and methods that an address does not take (405, with Allow), before a body is read.
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";

/** The route that @fastify/cors adds for preflights of any address. */
const preflights = "*";

export interface KnownAddress {
  readonly matches: (path: string) => boolean;
  readonly methods: string[];
}

/** The methods that an address takes; none: it is unknown. @param url as `originForm` leaves it: it can be decoded */
export function methodsAt(known: readonly KnownAddress[], url: string): ReadonlySet<string> {
  const path = decodeURI(url.replace(/\?.*$/s, ""));
  return new Set(known.flatMap((one) => (one.matches(path) ? one.methods : [])));
}

/** @param known the list to which each route that is added after this is added */
export function refuseUnknownAddresses(app: FastifyInstance, known: KnownAddress[]): void {
  app.addHook("onRoute", ({ url, method, config }) => {
    if (url !== preflights) known.push({ matches: config?.matches ?? matcherOf(url), methods: [method].flat() });
  });
  app.addHook("onRequest", (request, reply, done) => {
    // A preflight was answered before. Any other OPTIONS is a method like others. The HEAD of a download comes to the pages.
    const isMaybeUnknown = request.is404 || request.method === "HEAD" || request.routeOptions.url === preflights;
    if (!isMaybeUnknown) return done();
    const methods = methodsAt(known, request.url);
    if (!request.is404 && methods.has(request.method)) return done();
    if (methods.size > 0) reply.header("allow", [...methods].join(", "));
    done(new Fault(methods.size > 0 ? "methodNotSupported" : "notFound"));
  });
  // Never reached, but without it Fastify would answer in its own words.
  app.setNotFoundHandler(() => {
    throw new Fault("notFound");
  });
}

function matcherOf(url: string): KnownAddress["matches"] {
  const parts = url.split(/(:\w+(?:\(\^.*\$\))?|\*)/).map((part) => {
    if (part === "*") return ".*";
    if (!part.startsWith(":")) return RegExp.escape(part);
    return /\(\^(.*)\$\)/.exec(part)?.[1] ?? "[^/]+";
  });
  const pattern = new RegExp(`^${parts.join("")}$`);
  return (path) => pattern.test(path);
}
