// Who calls the console: an operator with a session, or a script with a token; and from which page a browser does it.
import type { Role } from "@submissions/shared/roles";
import type { FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { hashOfSent } from "../secrets.ts";
import type { Console } from "./console.ts";
import { sessionCookie } from "./cookies.ts";

export type Caller =
  | {
      readonly kind: "operator";
      /** As the audit log names the caller: the e-mail address, or the number and the name of the token. */
      readonly name: string;
      readonly role: Role;
      readonly operatorId: number;
      readonly sessionHash: string;
      readonly isStrong: boolean;
      /** When the session began, in milliseconds since the epoch. */
      readonly begunAt: number;
      readonly mustSetSecondFactor: boolean;
    }
  | { readonly kind: "token"; readonly name: string; readonly role: Role; readonly tokenId: number };

export const countedBy = (caller: Caller): string =>
  caller.kind === "token" ? `token ${caller.tokenId}` : `operator ${caller.operatorId}`;

type Sent = Pick<FastifyRequest, "headers">;

/** Whether a request brings a token. Its cookie is then not looked at. Other schemes belong to a proxy in front. */
export const bringsToken = ({ headers }: Sent): boolean => /^bearer(?: |$)/i.test(headers.authorization ?? "");

/** Who sends a request; null: an unknown caller, or one whose session or token has ended. */
export async function callerOf(
  request: Sent,
  { access, cookies, clock, mustSetSecondFactor }: Console,
): Promise<Caller | null> {
  const now = clock.now();
  if (bringsToken(request)) {
    const [, sent = ""] = /^bearer +([\w-]+) *$/i.exec(request.headers.authorization ?? "") ?? [];
    const hash = hashOfSent(sent);
    const token = hash === null ? null : await access.findToken(hash, now);
    return token === null
      ? null
      : { kind: "token", name: `token ${token.id} (${token.name})`, role: token.role, tokenId: token.id };
  }
  const sessionHash = hashOfSent(cookies.read(request, sessionCookie) ?? "");
  // A page without input still asks for news. That is no use of the session.
  const isUse = request.headers["x-unattended"] === undefined;
  const operator = sessionHash === null ? null : await access.findSession(sessionHash, now, isUse);
  if (sessionHash === null || operator === null) return null;
  const { email, role, id: operatorId, isStrong, begunAt } = operator;
  const known = { name: email, role, operatorId, sessionHash, isStrong, begunAt };
  return { kind: "operator", ...known, mustSetSecondFactor: mustSetSecondFactor(operator, isStrong) };
}

/**
 * Refuses what pages other than the console's have a browser send: also those of sibling subdomains, which the
 * `SameSite=Strict` cookie does not stop, and a page that signs its visitor in. @throws Fault `consoleOnly`
 */
export function requireOwnPage(request: Sent, publicUrl: string): void {
  // A script with a token has no page.
  if (bringsToken(request)) return;
  const { origin, "sec-fetch-site": site } = request.headers;
  const isOwn = site === undefined ? origin === new URL(publicUrl).origin : site === "same-origin";
  if (!isOwn) throw new Fault("consoleOnly");
}

/** @throws Fault `consoleOnly` for a link on a page of another site. Typed addresses and programs send no such header. */
export function requireOwnLink({ headers: { "sec-fetch-site": site } }: Sent): void {
  if (site !== undefined && site !== "same-origin" && site !== "none") throw new Fault("consoleOnly");
}
