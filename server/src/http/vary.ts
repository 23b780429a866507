// Tells caches which headers of the request an answer depends on, beside those that were named before.
import type { FastifyReply } from "fastify";

export function variesBy(reply: FastifyReply, header: string): void {
  const named = String(reply.getHeader("vary") ?? "");
  const known = named.split(/\s*,\s*/).some((one) => one.toLowerCase() === header.toLowerCase());
  if (!known) reply.header("vary", named === "" ? header : `${named}, ${header}`);
}
