// The files that pages load, at fixed addresses: no path of a URL reaches the file system. Kept once they are asked for.
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { formStyle } from "@submissions/shared/forms/form-style";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../fault.ts";
import { cached, qualitiesIn, variesBy } from "../headers.ts";

const types: Readonly<Record<string, string>> = {
  "": "text/plain; charset=utf-8",
  ".bcmap": "application/octet-stream",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".pfb": "application/octet-stream",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
  ".ttf": "font/ttf",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

// A smaller file would only grow.
const compressedFromBytes = 500;

/** As `Content-Encoding` names them. */
type Coding = "br" | "gzip";

export class Asset {
  readonly path: string;
  readonly type: string;
  readonly #read: () => Buffer | string;
  #bytes: Buffer | undefined;
  #hash: string | undefined;
  #gzip: Promise<Buffer> | undefined;
  #brotli: Promise<Buffer> | undefined;
  readonly #brotliFile: string | undefined;

  /** @param read called once, at the first use @param brotliFile where its content is, compressed with brotli */
  constructor(path: string, read: () => Buffer | string, brotliFile?: string) {
    const type = types[extname(path)];
    if (type === undefined) throw new Error(`${path} has no type.`);
    this.path = path;
    this.type = type;
    this.#read = read;
    this.#brotliFile = brotliFile;
  }

  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.#read()));
  }

  get hash(): string {
    return (this.#hash ??= hash("sha256", this.bytes, "base64url").slice(0, 16));
  }

  /** The address to load it by, relative to the root of the site. It names the hash, so caches keep it for good. */
  get href(): string {
    return `${this.path.slice(1)}?v=${this.hash}`;
  }

  /** Of the content, as a page or a package manager checks it (Subresource Integrity). */
  get integrity(): string {
    return `sha512-${hash("sha512", this.bytes, "base64")}`;
  }

  /** The codings it can be sent in, the smallest first. */
  get codings(): readonly Coding[] {
    if (this.bytes.length < compressedFromBytes || this.type === "application/gzip") return [];
    return this.#brotliFile === undefined ? ["gzip"] : ["br", "gzip"];
  }

  /** The content in a coding. Compressed with gzip outside of the event loop. */
  compressed(coding: Coding): Promise<Buffer> {
    return coding === "br"
      ? (this.#brotli ??= readFile(this.#brotliFile!))
      : (this.#gzip ??= promisify(gzip)(this.bytes, { level: 9 }));
  }
}

const fileHere = (path: string) => new Asset(path, () => readFileSync(new URL(basename(path), import.meta.url)));

export const siteAssets = {
  /** Colours, type and buttons of all pages. */
  base: fileHere("/site/base.css"),
  card: fileHere("/site/card.css"),
  /** The front page, and pages that show a form again. */
  site: fileHere("/site/site.css"),
  waveform: fileHere("/site/waveform.svg"),
  /** Makes the links of the package cards tick their boxes. */
  cards: fileHere("/site/cards.js"),
  icon: fileHere("/favicon.svg"),
  /** The same rules as `/forms.css`, for a form in a page instead of a shadow root. */
  plainForm: new Asset("/site/form.css", () => plainFormStyle()),
} as const;

/** The forms' style sheet for their shadow roots. */
export const formsStyle = new Asset("/forms.css", () => formStyle.trim());

const plainFormStyle = () =>
  `.plain-form {${formStyle.replaceAll(/:host\(([^)]*)\)/g, "&$1").replaceAll(":host", "&")}}`;

export interface FormsBundle {
  readonly script: Asset;
  /** The client's package, for `npm install` by its address; undefined when it was not packed. */
  readonly clientPackage: Asset | undefined;
  readonly files: readonly Asset[];
}

/** The bundle in a folder; null when it was not built. Reads only the names of the files. */
export function findFormsBundle(folder: string): FormsBundle | null {
  const files = assetsIn(folder, "/");
  const script = files.find(({ path }) => path === "/forms.js");
  const clientPackage = files.find(({ path }) => /^\/packages\/client-[\w.-]+\.tgz$/.test(path));
  return script === undefined ? null : { script, clientPackage, files };
}

/** The files of a folder that can be served, below an address; none when there is no such folder. */
export function assetsIn(folder: string, address: string): readonly Asset[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const all = new Set(files);
  return files
    .filter((file) => extname(file) in types)
    .map((file) => {
      const path = address + relative(folder, file).split(sep).join("/");
      return new Asset(path, () => readFileSync(file), all.has(`${file}.br`) ? `${file}.br` : undefined);
    });
}

interface Serving {
  /** Whether its name holds a digest of the content. */
  readonly digested?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @param path another address than the asset's own */
export function serveAsset(
  app: FastifyInstance,
  asset: Asset,
  { path = asset.path, ...serving }: Serving & { readonly path?: string } = {},
): void {
  app.get<AssetRequest>(path, (request, reply) => send(asset, request, reply, serving));
}

/** Serves the files below an address by one route: one for each of hundreds would take a tenth of the start. */
export function serveAssets(app: FastifyInstance, address: string, assets: readonly Asset[], serving: Serving): void {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  app.get<AssetRequest & { Params: { "*": string } }>(`${address}*`, async (request, reply) => {
    const asset = byPath.get(address + request.params["*"]);
    if (asset === undefined) throw new Fault("notFound");
    return send(asset, request, reply, serving);
  });
}

interface AssetRequest {
  Querystring: { v?: unknown };
}

async function send(
  asset: Asset,
  request: FastifyRequest<AssetRequest>,
  reply: FastifyReply,
  { digested = false, headers = {} }: Serving,
): Promise<FastifyReply> {
  const isFixed = digested || request.query.v === asset.hash;
  const { codings } = asset;
  const accepted = qualitiesIn(request.headers["accept-encoding"] ?? "");
  const coding = codings.find((one) => (accepted.get(one) ?? 0) > 0);
  // They are different bytes, so they need different tags.
  const etag = coding === undefined ? `"${asset.hash}"` : `"${asset.hash}-${coding}"`;
  reply.headers({ ...headers, "cache-control": isFixed ? cached.forever : cached.minutes, etag });
  if (codings.length > 0) variesBy(reply, "Accept-Encoding");
  if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (coding !== undefined) reply.header("content-encoding", coding);
  return reply.type(asset.type).send(coding === undefined ? asset.bytes : await asset.compressed(coding));
}

const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? "").split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
