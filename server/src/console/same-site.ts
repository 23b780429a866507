// Refuses what pages other than the console's have a browser send. The session's cookie is `SameSite=Strict` already;
// this also stops pages of sibling subdomains, and a page that signs its visitor in to an account of the attacker.
import type { FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";

type Sent = Pick<FastifyRequest, "headers">;

/** @throws Fault `consoleOnly` for a call that no page of the console sent */
export function requireOwnPage({ headers }: Sent, publicUrl: string): void {
  const { origin, "sec-fetch-site": site } = headers;
  const isOwn = site === undefined ? origin === new URL(publicUrl).origin : site === "same-origin";
  if (!isOwn) throw new Fault("consoleOnly");
}

/** @throws Fault `consoleOnly` for a link on a page of another site. Typed addresses and programs send no such header. */
export function requireOwnLink({ headers: { "sec-fetch-site": site } }: Sent): void {
  if (site !== undefined && site !== "same-origin" && site !== "none") throw new Fault("consoleOnly");
}
