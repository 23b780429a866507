// Serves the OpenAPI document and its reader. Both are built when first asked for, because only a listening server knows
// its own address, and kept.
import type { FastifyInstance, FastifyReply } from "fastify";
import { serveAsset } from "../pages/asset.ts";
import { docsAssets, renderDocsPage } from "./reader-page.ts";
import { buildOpenApiDocument } from "./document.ts";

interface OpenApiRoutesOptions {
  /** Where callers reach the service; asked for once, at the first request. */
  readonly publicUrl: () => string;
  /** The version of the service. */
  readonly version: string;
  /** Whether submissions need a proof of work; not, if left out. */
  readonly proofOfWork?: boolean;
}

// The page needs its own style sheet and its own script, and nothing else in the world.
const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Adds `/openapi.json`, and `/docs` with its assets. */
export function openApiRoutes(app: FastifyInstance, { publicUrl, ...options }: OpenApiRoutesOptions): void {
  const document = once(() => buildOpenApiDocument({ ...options, publicUrl: publicUrl().replace(/\/+$/, "") }));
  const json = once(() => JSON.stringify(document()));
  const page = once(() => renderDocsPage(document()));

  // The registered type, application/vnd.oai.openapi+json, makes browsers download it.
  app.get("/openapi.json", (_request, reply) => send(reply, "application/json; charset=utf-8", json()));
  app.get("/docs", (_request, reply) =>
    send(reply.header("content-security-policy", pagePolicy), "text/html; charset=utf-8", page()),
  );
  for (const asset of docsAssets) serveAsset(app, asset);
}

// Public, the same for everybody, and allowed to be some minutes old; `no-store` is for submissions.
const send = (reply: FastifyReply, type: string, body: string): FastifyReply =>
  reply.type(type).header("cache-control", "public, max-age=300").send(body);

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
