// Who calls the console: an operator with a session, or a script with a token.
import type { Role } from "@submissions/shared/console";
import type { FastifyRequest } from "fastify";
import { hashOfSent } from "../secrets.ts";
import type { Console } from "./console.ts";
import { sessionCookie } from "./cookies.ts";

export type Caller =
  | {
      readonly kind: "operator";
      /** As the audit log names the caller: the e-mail address, or the name of the token. */
      readonly name: string;
      readonly role: Role;
      readonly operatorId: number;
      readonly sessionHash: string;
    }
  | { readonly kind: "token"; readonly name: string; readonly role: Role };

/**
 * Whether a request brings a token. Its cookie is then not looked at. Other schemes belong to a proxy in front, which may
 * ask for a password of its own.
 */
export const bringsToken = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  /^bearer(?: |$)/i.test(headers.authorization ?? "");

/** Who sends a request; null: an unknown caller, or one whose session or token has ended. */
export async function callerOf(
  request: Pick<FastifyRequest, "headers">,
  { access, cookies, clock }: Pick<Console, "access" | "cookies" | "clock">,
): Promise<Caller | null> {
  const now = clock.now();
  if (bringsToken(request)) {
    const [, sent = ""] = /^bearer +([\w-]+) *$/i.exec(request.headers.authorization ?? "") ?? [];
    const hash = hashOfSent(sent);
    const token = hash === null ? null : await access.findToken(hash, now);
    return token === null ? null : { kind: "token", name: `token ${token.name}`, role: token.role };
  }
  const sessionHash = hashOfSent(cookies.read(request, sessionCookie) ?? "");
  const operator = sessionHash === null ? null : await access.findSession(sessionHash, now);
  if (sessionHash === null || operator === null) return null;
  const { email, role, id: operatorId } = operator;
  return { kind: "operator", name: email, role, operatorId, sessionHash };
}
