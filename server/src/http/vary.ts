// Tells caches which headers of the request an answer depends on, beside those that were named before.
import type { FastifyReply } from "fastify";

export function variesBy(reply: FastifyReply, header: string): void {
  const named = reply.getHeader("vary");
  if (named === undefined) return void reply.header("vary", header);
  const known = String(named).split(/\s*,\s*/);
  if (!known.some((one) => one.toLowerCase() === header.toLowerCase()))
    reply.header("vary", [...known, header].join(", "));
}
