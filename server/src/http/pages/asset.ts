// Files that pages load: known at start, held in memory, served with what caches need. No path of a URL ever reaches the
// file system.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { variesBy } from "../vary.ts";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

// Shorter ones would only grow.
const compressedFromBytes = 500;

// A file under its hash never changes. Under its plain name it may be some minutes old.
const caching = { forever: "public, max-age=31536000, immutable", minutes: "public, max-age=300" };

/** A file as it is served. */
export interface Asset {
  /** Where: `/site/base.css`. */
  readonly path: string;
  /** The address to load it by, without the leading slash: its hash is in it, so that caches keep it for good. */
  readonly href: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** The same compressed; null when that is not worth it. */
  readonly gzipped: Buffer | null;
  readonly hash: string;
}

/** Reads a file. */
export const readAsset = (path: string, file: URL): Asset => assetOf(path, readFileSync(file));

/** What is to be served at a path, whose extension tells the type. */
export function assetOf(path: string, bytes: Buffer): Asset {
  const type = types[extname(path)];
  if (type === undefined) throw new Error(`${path} has no type.`);
  const gzipped = bytes.length < compressedFromBytes ? null : gzipSync(bytes, { level: 9 });
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
  return { path, href: `${path.slice(1)}?v=${hash}`, type, bytes, gzipped, hash };
}

/** Whether a path can be served, by its extension. */
export const isServable = (path: string): boolean => extname(path) in types;

/** Adds the route of an asset. */
export function serveAsset(app: FastifyInstance, asset: Asset, headers: Readonly<Record<string, string>> = {}): void {
  app.get<{ Querystring: { v?: unknown } }>(asset.path, (request, reply) => {
    reply.headers({ ...headers, "cache-control": request.query.v === asset.hash ? caching.forever : caching.minutes });
    return sendAsset(request, reply, asset);
  });
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, { type, bytes, gzipped, hash }: Asset): FastifyReply {
  const zip = gzipped !== null && acceptsGzip(request.headers["accept-encoding"]);
  // The two are different bytes, so they need different tags.
  const etag = zip ? `"${hash}-gzip"` : `"${hash}"`;
  reply.header("etag", etag);
  if (gzipped !== null) variesBy(reply, "Accept-Encoding");
  if (knows(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (zip) reply.header("content-encoding", "gzip");
  return reply.type(type).send(zip ? gzipped : bytes);
}

const acceptsGzip = (header: string | string[] | undefined): boolean =>
  String(header ?? "")
    .split(",")
    .some((one) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one));

const knows = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? "").split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
