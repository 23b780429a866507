// The head of requests and answers: what is malformed before any route is asked, and the headers of all answers.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyCorsOptionsDelegateCallback } from "@fastify/cors";
import { percentDecoded } from "@submissions/shared/text";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import type { Traffic } from "./gate/traffic.ts";

const everyAnswer = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

const requestId = Symbol("request id");

/** The id of a request. It is the same in its answer and its log lines, also where the answer is written by hand. */
export const requestIdOf = (request: IncomingMessage & { [requestId]?: string }): string =>
  (request[requestId] ??= randomUUID());

export function headAnswers(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(everyAnswer).header("x-request-id", request.id);
    done();
  });
}

/** Tells caches which header of the request an answer depends on, beside those that were named before. */
export function variesBy(reply: FastifyReply, header: string): void {
  const named = reply.getHeader("vary");
  if (named === undefined) return void reply.header("vary", header);
  const known = String(named).split(/\s*,\s*/);
  if (!known.some((one) => one.toLowerCase() === header.toLowerCase()))
    reply.header("vary", [...known, header].join(", "));
}

/** What a header lists (`Accept`, `Accept-Encoding`), in lower case, with the quality of each (RFC 9110 12.4.2). */
export const qualitiesIn = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").map((range) => {
      const [what = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      // A quality that is not a number prefers nothing.
      return [what, quality === undefined ? 1 : Number(quality) || 0];
    }),
  );

// What is the same for every caller. The content under a hash never changes. Under its plain name it may be some minutes old.
export const cached = { forever: "public, max-age=31536000, immutable", minutes: "public, max-age=300" };

/** Sends JSON that is the same for every caller. */
export const sendPublicJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.type("application/json; charset=utf-8").header("cache-control", cached.minutes).send(json);

/** Lets pages of these origins read answers (CORS). */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  const options = {
    origin: [...origins],
    methods: ["GET", "POST"],
    allowedHeaders: ["content-type", "trpc-accept", "trpc-batch-mode", "idempotency-key"],
    exposedHeaders: [
      "x-request-id",
      "retry-after",
      "idempotency-replayed",
      "ratelimit-limit",
      "ratelimit-remaining",
      "ratelimit-reset",
    ],
    maxAge: 600,
  };
  // An OPTIONS that is no preflight is a method like others. The library would refuse it in its own words.
  const isPreflight = ({ headers }: FastifyRequest) =>
    headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
  const delegator: FastifyCorsOptionsDelegateCallback = (request, done) =>
    done(null, { ...options, preflight: isPreflight(request) });
  await app.register(import("@fastify/cors"), { delegator });
}

/** The target of a request as the router understands it: RFC 9112 3.2.2 lets clients send a whole URL. */
export function originForm(url: string): string {
  const target = url.startsWith("/") ? url : `/${/^https?:\/\/[^/?#]*\/?(.*)$/is.exec(url)?.[1] ?? url}`;
  // A percent sign that encodes nothing is taken as such: no route matches it.
  return target.includes("%") && percentDecoded(target.replace(/[?#].*$/s, "")) === undefined
    ? target.replaceAll("%", "%25")
    : target;
}

export function refuseMalformed(app: FastifyInstance, traffic: Pick<Traffic, "endWith">): void {
  app.addHook("onRequest", ({ raw }, reply, done) => {
    if (!isMalformed(raw)) return done();
    // A proxy may frame this message differently (request smuggling), so the connection is closed.
    traffic.endWith(reply.raw);
    done(new Fault("requestMalformed"));
  });
}

// RFC 9112 wants one valid Host (3.2), which Node does not check, and a target without a fragment, which the router drops.
// Node undoes no transfer coding but the last, and HTTP/1.0 has none (6.1).
function isMalformed(raw: IncomingMessage): boolean {
  const { host, "transfer-encoding": coding } = raw.headers;
  if (coding !== undefined && (raw.httpVersion !== "1.1" || coding.toLowerCase() !== "chunked")) return true;
  const isHost = host === undefined ? raw.httpVersion !== "1.1" : /^[\w.~!$&'()*+,;=%:[\]-]*$/.test(host);
  return !isHost || isRepeated(raw, "host") || (raw.url?.includes("#") ?? false);
}

/** Whether a header comes on more than one line. Node keeps the first of some headers, and joins those of others. */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const found = rawHeaders[at] ?? "";
    // Nearly all names differ in their length, so hardly one is written in lower case.
    if (found.length === name.length && found.toLowerCase() === name) lines += 1;
  }
  return lines > 1;
}
