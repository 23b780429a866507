// Tells a person's browser from a program, by what the request says it would like to read. Programs that say nothing, or
// that take anything, are answered as ever; it knows nothing of what the pages say.
import type { FastifyRequest } from "fastify";
import { isRpc } from "../fault-reply.ts";

/**
 * Whether a request is to be answered with a page: it names `text/html` and prefers it to JSON, it sends no JSON itself
 * (some HTTP libraries ask for HTML unless told otherwise), and the address is not one of typed RPC.
 */
export const wantsPage = (request: FastifyRequest): boolean =>
  prefersHtml(request.headers.accept) &&
  !isRpc(request) &&
  !/^\s*application\/json/i.test(request.headers["content-type"] ?? "");

/** Whether an Accept header (RFC 9110 12.5.1) names `text/html` with a higher quality than JSON has in it. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/html/i.test(accept)) return false;
  const qualities = new Map(accept.split(",").map(readRange));
  const html = qualities.get("text/html") ?? 0;
  // The most specific range counts.
  const json = qualities.get("application/json") ?? qualities.get("application/*") ?? qualities.get("*/*") ?? 0;
  return html > json;
}

function readRange(range: string): [type: string, quality: number] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  // A quality that is no number prefers nothing.
  return [type, quality === undefined ? 1 : Number(quality) || 0];
}
