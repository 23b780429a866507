// Who calls the console: an operator with a session, or a script with a token.
import type { Role } from "@submissions/shared/console";
import type { FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import type { AccessStore } from "../storage/access-store.ts";
import { sessionCookie, type Cookies } from "./cookies.ts";
import { hashSecret } from "./secrets.ts";

export type Caller =
  | {
      readonly kind: "operator";
      /** The e-mail address; also the name in the audit log. */
      readonly name: string;
      readonly role: Role;
      readonly operatorId: number;
      readonly sessionHash: string;
    }
  | {
      readonly kind: "token";
      /** As the audit log names it. */
      readonly name: string;
      readonly role: Role;
    };

interface Sources {
  readonly access: Pick<AccessStore, "findSession" | "findToken">;
  readonly cookies: Cookies;
  readonly clock: Clock;
}

/** Secrets are 43 characters. Nothing longer is hashed. */
const secretLengthMax = 100;

/**
 * Whether a request brings a token. Its cookie is then not looked at. Other schemes belong to a proxy in front, which may
 * ask for a password of its own.
 */
export const bringsToken = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  /^bearer(?: |$)/i.test(headers.authorization ?? "");

/** Who sends a request; null: an unknown caller, or one whose session or token has ended. */
export async function callerOf(
  request: Pick<FastifyRequest, "headers">,
  { access, cookies, clock }: Sources,
): Promise<Caller | null> {
  const now = clock.now();
  if (bringsToken(request)) {
    const sent = /^bearer +([\w-]+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    if (sent === undefined || sent.length > secretLengthMax) return null;
    const token = await access.findToken(hashSecret(sent), now);
    return token === null ? null : { kind: "token", name: `token ${token.name}`, role: token.role };
  }
  const id = cookies.read(request, sessionCookie);
  if (id === null || id.length > secretLengthMax) return null;
  const sessionHash = hashSecret(id);
  const session = await access.findSession(sessionHash, now);
  if (session === null) return null;
  const { email, role, id: operatorId } = session.operator;
  return { kind: "operator", name: email, role, operatorId, sessionHash };
}
