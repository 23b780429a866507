// Refuses what a browser sends from a page of another site, so that no page can submit in its visitors' names. Programs
// and mail programs send neither of the two headers and are never refused.
import type { FastifyRequest } from "fastify";

/** Whether a request comes from a page of a site that may not send here. */
export type IsForeign = (request: Pick<FastifyRequest, "method" | "headers">) => boolean;

interface Sites {
  /** The base address of this service. Asked for with each request that needs it, because it may depend on the port. */
  readonly publicUrl: () => string;
  /** Origins whose pages may call from a browser. */
  readonly corsOrigins: readonly string[];
}

/** Looks at POST only: other methods change nothing. */
export function foreignSites({ publicUrl, corsOrigins }: Sites): IsForeign {
  const allowed = new Set(corsOrigins);
  return ({ method, headers }) => {
    const { origin, "sec-fetch-site": site } = headers;
    if ((origin === undefined && site === undefined) || method !== "POST") return false;
    if (origin !== undefined && allowed.has(origin)) return false;
    return site === undefined ? origin !== new URL(publicUrl()).origin : site === "cross-site";
  };
}
