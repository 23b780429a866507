// The two cookies of the console. No cookie is read anywhere else in the service.
import type { FastifyReply, FastifyRequest } from "fastify";

interface CookieFacts {
  /** Below the console: `` or `/oidc`. */
  readonly below: string;
  readonly sameSite: "Strict" | "Lax";
  /** Null: until the browser is closed. */
  readonly seconds: number | null;
}

/** The session. Pages of other sites cannot send it, not even with a link. */
export const sessionCookie = { name: "console-session", below: "", sameSite: "Strict", seconds: null } as const;

/** What a sign-in by OpenID Connect must come back with. The provider's redirect has to bring it. */
export const oidcCookie = { name: "console-oidc", below: "/oidc", sameSite: "Lax", seconds: 600 } as const;

type Cookie = CookieFacts & { readonly name: string };

/** Reads and writes cookies. @param publicUrl the base address as browsers see it */
export class Cookies {
  readonly #publicUrl: () => string;

  constructor(publicUrl: () => string) {
    this.#publicUrl = publicUrl;
  }

  read(request: Pick<FastifyRequest, "headers">, cookie: Cookie): string | null {
    const prefix = `${this.#nameOf(cookie)}=`;
    const pair = request.headers.cookie?.split(/;\s*/).find((one) => one.startsWith(prefix));
    const value = pair?.slice(prefix.length) ?? "";
    return value === "" ? null : value;
  }

  /** @param value base64url */
  write(reply: FastifyReply, cookie: Cookie, value: string): void {
    this.#send(reply, cookie, value, cookie.seconds);
  }

  clear(reply: FastifyReply, cookie: Cookie): void {
    this.#send(reply, cookie, "", 0);
  }

  #send(reply: FastifyReply, cookie: Cookie, value: string, seconds: number | null): void {
    const { pathname } = new URL(this.#publicUrl());
    const path = `${pathname.replace(/\/$/, "")}/console${cookie.below}`;
    const parts = [`${this.#nameOf(cookie)}=${value}`, `Path=${path}`, "HttpOnly", `SameSite=${cookie.sameSite}`];
    if (seconds !== null) parts.push(`Max-Age=${seconds}`);
    if (this.#isSecure()) parts.push("Secure");
    // Fastify gathers several of these.
    reply.header("set-cookie", parts.join("; "));
  }

  #isSecure(): boolean {
    return this.#publicUrl().startsWith("https:");
  }

  // Browsers take a name with this prefix only from https, so that no other site of the domain can set it without.
  #nameOf({ name }: Cookie): string {
    return this.#isSecure() ? `__Secure-${name}` : name;
  }
}
