// The cookies of the console. No cookie is read anywhere else in the service.
import type { FastifyReply, FastifyRequest } from "fastify";

export interface Cookie {
  readonly name: string;
  readonly below: "" | "/oidc";
  readonly sameSite: "Strict" | "Lax";
  /** Null: until the browser is closed. */
  readonly seconds: number | null;
}

/** The session. Pages of other sites cannot send it, not even with a link. */
export const sessionCookie: Cookie = { name: "console-session", below: "", sameSite: "Strict", seconds: null };

/** What a sign-in by OpenID Connect must come back with. The provider's redirect has to bring it. */
export const oidcCookie: Cookie = { name: "console-oidc", below: "/oidc", sameSite: "Lax", seconds: 600 };

const day = 24 * 60 * 60;
/** That this device has signed in before: it is counted apart from strangers. Browsers keep no cookie for longer. */
export const deviceCookie: Cookie = { name: "console-device", below: "", sameSite: "Strict", seconds: 400 * day };

/** The account of a provider that waits for the operator's password, or for the code of the second factor. */
export const bindingCookie: Cookie = { name: "console-binding", below: "", sameSite: "Strict", seconds: 600 };

/** The path of the console, below that of the base address. */
export const consolePath = (publicUrl: string): string => `${new URL(publicUrl).pathname.replace(/\/$/, "")}/console`;

/** Reads and writes cookies. @param publicUrl the base address as browsers see it */
export function cookiesOf(publicUrl: () => string) {
  const isSecure = () => publicUrl().startsWith("https:");
  // Browsers accept a name with this prefix over https only, so a page that came over http cannot set the cookie.
  const nameOf = ({ name }: Cookie) => (isSecure() ? `__Secure-${name}` : name);

  function send(reply: FastifyReply, cookie: Cookie, value: string, seconds: number | null): void {
    const path = consolePath(publicUrl()) + cookie.below;
    const parts = [`${nameOf(cookie)}=${value}`, `Path=${path}`, "HttpOnly", `SameSite=${cookie.sameSite}`];
    if (seconds !== null) parts.push(`Max-Age=${seconds}`);
    if (isSecure()) parts.push("Secure");
    // Fastify gathers several of these.
    reply.header("set-cookie", parts.join("; "));
  }

  return {
    read(request: Pick<FastifyRequest, "headers">, cookie: Cookie): string | null {
      const prefix = `${nameOf(cookie)}=`;
      const pair = request.headers.cookie?.split(/;\s*/).find((one) => one.startsWith(prefix));
      return pair?.slice(prefix.length) || null;
    },
    /** @param value base64url and dots */
    write: (reply: FastifyReply, cookie: Cookie, value: string) => send(reply, cookie, value, cookie.seconds),
    clear: (reply: FastifyReply, cookie: Cookie) => send(reply, cookie, "", 0),
  };
}
