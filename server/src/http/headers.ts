// The head of every request and answer: what is malformed before any route is asked, and the headers that all answers
// have.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyCorsOptionsDelegateCallback } from "@fastify/cors";
import type { FastifyReply, FastifyRequest } from "fastify";

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

export function headAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(everyAnswer).header("x-request-id", request.id);
}

/** Tells caches which header of the request an answer depends on, beside those that were named before. */
export function variesBy(reply: FastifyReply, header: string): void {
  const named = reply.getHeader("vary");
  if (named === undefined) return void reply.header("vary", header);
  const known = String(named).split(/\s*,\s*/);
  if (!known.some((one) => one.toLowerCase() === header.toLowerCase()))
    reply.header("vary", [...known, header].join(", "));
}

export function corsOptions(origins: readonly string[]): FastifyCorsOptionsDelegateCallback {
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
  return (request, done) => done(null, { ...options, preflight: isPreflight(request) });
}

/** The target of a request as the router understands it: RFC 9112 3.2.2 lets clients send a whole URL. */
export function originForm(url: string): string {
  const target = url.startsWith("/") ? url : `/${/^https?:\/\/[^/?#]*\/?(.*)$/is.exec(url)?.[1] ?? url}`;
  // A percent sign that encodes nothing is taken as such: no route matches it.
  return target.includes("%") && !isDecodable(target) ? target.replaceAll("%", "%25") : target;
}

function isDecodable(target: string): boolean {
  try {
    decodeURIComponent(target.replace(/[?#].*$/s, ""));
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

/** RFC 9112 3.2 wants one valid Host, which Node does not check, and a target without a fragment, which the router drops. */
export function isMalformed({ raw }: FastifyRequest): boolean {
  const [host, ...more] = linesOf(raw.rawHeaders, "host");
  const isHost = host === undefined ? raw.httpVersion !== "1.1" : /^[\w.~!$&'()*+,;=%:[\]-]*$/.test(host);
  return !isHost || more.length > 0 || (raw.url?.includes("#") ?? false);
}

/** The values of a header as they came, one for each line. */
export const linesOf = (rawHeaders: readonly string[], name: string): readonly string[] =>
  rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
