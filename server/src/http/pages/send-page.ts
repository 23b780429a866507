// Sends pages with the headers that all of them have.
import type { FastifyReply } from "fastify";

// What a page may load: nothing that is not this service's own. Only pages with forms run a script.
const policyOf = (...more: readonly string[]) =>
  [
    "default-src 'none'",
    ...more,
    "style-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const policies = {
  still: policyOf(),
  // The worker searches for proofs of work.
  scripted: policyOf("script-src 'self'", "connect-src 'self'", "worker-src 'self'"),
};

interface Sent {
  readonly status?: number;
  readonly scripted?: boolean;
  /** Whether search engines may keep it. */
  readonly indexed?: boolean;
}

/** Sends a page. */
export function sendPage(reply: FastifyReply, page: string, { status = 200, scripted, indexed }: Sent): FastifyReply {
  if (!indexed) reply.header("x-robots-tag", "noindex, nofollow");
  return reply
    .code(status)
    .type("text/html; charset=utf-8")
    .header("content-security-policy", scripted ? policies.scripted : policies.still)
    .send(page);
}
