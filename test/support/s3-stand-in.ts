// As much of S3 as a vault needs. Refuses what a store refuses, and fails when a test wants it.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { Listening } from "./listening.ts";

export type S3Mishap =
  /** The store answers so and does nothing. */
  | { readonly status: number; readonly code: string }
  /** The connection breaks while the body is on its way; nothing is stored. */
  | "cut before storing"
  /** The request has its effect, and the connection breaks before the answer. */
  | "cut after storing"
  | "cut answer"
  /** Nothing comes back, ever. */
  | "hang"
  | "stall"
  /** The store says that it has something else than it was sent. */
  | "wrong etag"
  | "wrong checksum"
  /** An answer of another server: 200, and not a word of S3. */
  | "stranger";

export interface StoredObject {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly modifiedAt: number;
}

export const s3Credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "hunter2-hunter2" };
export const s3Environment = {
  AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
  AWS_EC2_METADATA_DISABLED: "true",
};
export const stubS3Environment = () => {
  for (const [name, value] of Object.entries(s3Environment)) vi.stubEnv(name, value);
};
const bucketName = "resumes";
/** A page of a listing: fewer than are asked for, which a store may do. */
const pageMax = 100;

export class S3StandIn extends Listening {
  readonly bucket = bucketName;
  readonly objects = new Map<string, StoredObject>();
  readonly requests: string[] = [];
  /** The store's clock. */
  now: () => number = Date.now;
  breakdown: S3Mishap | null = null;
  /** Whether objects are encrypted, so that their ETag is not the MD5 of what was sent. */
  encrypting = false;
  readonly #mishaps: S3Mishap[] = [];

  static open(): Promise<S3StandIn> {
    const standIn = new S3StandIn(createServer());
    standIn.server.on("request", (request, response) => void standIn.#handle(request, response));
    return standIn.listen();
  }

  next(...mishaps: readonly S3Mishap[]): void {
    this.#mishaps.push(...mishaps);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on("error", () => {});
    response.on("error", () => {});
    const url = new URL(request.url ?? "/", this.url);
    const [, bucket = "", key = ""] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    const mishap = this.#mishaps.shift() ?? this.breakdown;
    this.requests.push(`${request.method} ${key}`);
    response.setHeader("date", new Date(this.now()).toUTCString());
    if (mishap === "hang") return;
    if (mishap === "cut before storing") {
      // Something of the body first, where there is one.
      if (request.headers["content-length"] !== undefined) await once(request, "readable");
      return void request.socket.resetAndDestroy();
    }
    if (mishap === "stranger") return void response.writeHead(200, { "content-type": "text/html" }).end("Hello");
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    if (typeof mishap === "object" && mishap !== null) return refuse(response, mishap.status, mishap.code);
    const fault = faultOf(request, url, body) ?? (bucket === bucketName ? null : ([404, "NoSuchBucket"] as const));
    if (fault !== null) return refuse(response, ...fault);
    const answer = this.#answer(request, url, key, body);
    if (mishap === "cut after storing") return void request.socket.resetAndDestroy();
    if (mishap === "wrong etag") answer.headers["etag"] = `"${"0".repeat(32)}"`;
    if (mishap === "wrong checksum") answer.headers["x-amz-checksum-sha256"] = Buffer.alloc(32).toString("base64");
    response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
    if (mishap !== "cut answer" && mishap !== "stall") return void response.end(answer.body);
    response.write(answer.body.subarray(0, answer.body.length / 2), () => {
      if (mishap === "cut answer") response.destroy();
    });
  }

  #answer({ method, headers }: IncomingMessage, url: URL, key: string, body: Buffer): Answer {
    if (key === "") return method === "HEAD" ? { status: 200, headers: {}, body: Buffer.alloc(0) } : this.#list(url);
    const source = headers["x-amz-copy-source"];
    if (typeof source === "string") return this.#copy(decodeURIComponent(source), key);
    if (method === "PUT") return this.#put(key, headers as Record<string, string | undefined>, body);
    if (method === "DELETE") {
      this.objects.delete(key);
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    }
    const found = this.objects.get(key);
    if (found === undefined) return { status: 404, headers: xml, body: errorBody("NoSuchKey") };
    const disposition = url.searchParams.get("response-content-disposition") ?? found.headers["content-disposition"];
    const type = url.searchParams.get("response-content-type") ?? found.headers["content-type"];
    return {
      status: 200,
      headers: { "content-type": type ?? "", "content-disposition": disposition ?? "" },
      body: found.bytes,
    };
  }

  #put(key: string, headers: Record<string, string | undefined>, bytes: Buffer): Answer {
    this.objects.set(key, { bytes, headers, modifiedAt: this.now() });
    const etag = createHash("md5")
      .update(this.encrypting ? "another text" : bytes)
      .digest("hex");
    const encryption = this.encrypting ? { "x-amz-server-side-encryption": "aws:kms" } : {};
    return { status: 200, headers: { etag: `"${etag}"`, ...encryption }, body: Buffer.alloc(0) };
  }

  #copy(source: string, key: string): Answer {
    const found = this.objects.get(source.replace(`${bucketName}/`, ""));
    if (found === undefined) return { status: 404, headers: xml, body: errorBody("NoSuchKey") };
    this.objects.set(key, { ...found, modifiedAt: this.now() });
    return { status: 200, headers: xml, body: Buffer.from("<CopyObjectResult><ETag>x</ETag></CopyObjectResult>") };
  }

  #list(url: URL): Answer {
    const prefix = url.searchParams.get("prefix") ?? "";
    const after = url.searchParams.get("continuation-token") ?? "";
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
    const page = keys.slice(0, Math.min(pageMax, Number(url.searchParams.get("max-keys") ?? pageMax)));
    const more = keys.length > page.length;
    const contents = page.map((key) => {
      const modified = new Date(this.objects.get(key)?.modifiedAt ?? 0).toISOString();
      return `<Contents><Key>${key}</Key><LastModified>${modified}</LastModified></Contents>`;
    });
    const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
    const text = `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`;
    return { status: 200, headers: xml, body: Buffer.from(text) };
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const xml = { "content-type": "application/xml" };
const errorBody = (code: string) => Buffer.from(`<Error><Code>${code}</Code><Message>refused</Message></Error>`);

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, xml).end(errorBody(code));
}

function faultOf({ method, headers }: IncomingMessage, url: URL, body: Buffer): readonly [number, string] | null {
  const credential = `Credential=${s3Credentials.accessKeyId}/`;
  const signed = /^AWS4-HMAC-SHA256 .*SignedHeaders=.*x-amz-content-sha256.*Signature=[0-9a-f]{64}$/;
  const inHeader = signed.test(headers.authorization ?? "") && headers.authorization?.includes(credential);
  const inAddress =
    /^[0-9a-f]{64}$/.test(url.searchParams.get("X-Amz-Signature") ?? "") &&
    url.searchParams.get("X-Amz-Credential")?.startsWith(`${s3Credentials.accessKeyId}/`);
  if (!inHeader && !inAddress) return [403, "SignatureDoesNotMatch"];
  if (method !== "PUT") return null;
  if (headers["content-length"] === undefined) return [411, "MissingContentLength"];
  // As Swift does: neither chunks with a checksum behind them nor conditions.
  if (/chunked/.test(headers["content-encoding"] ?? "") || headers["if-none-match"]) return [501, "NotImplemented"];
  const hash = createHash("sha256").update(body).digest();
  if (headers["x-amz-content-sha256"] !== hash.toString("hex")) return [400, "XAmzContentSHA256Mismatch"];
  const checksum = headers["x-amz-checksum-sha256"];
  return checksum === undefined || checksum === hash.toString("base64") ? null : [400, "BadDigest"];
}

/** A store for the tests of a file, which each find empty and sound, with its credentials in the environment. */
export async function sharedS3(): Promise<S3StandIn> {
  const store = await S3StandIn.open();
  beforeAll(stubS3Environment);
  afterEach(() => {
    store.objects.clear();
    store.requests.length = 0;
    Object.assign(store, { breakdown: null, encrypting: false, now: Date.now });
  });
  afterAll(async () => {
    await store[Symbol.asyncDispose]();
    vi.unstubAllEnvs();
  });
  return store;
}
