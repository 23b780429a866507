// Brings in the AWS SDK, which is installed only where resumes are kept in an object store, and holds what is particular
// about it: the client's settings, signed uploads, the store's clock. The SDK finds its credentials by itself.
import type { ListObjectsV2Command, PutObjectCommand, PutObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { loadOptional, SettingUnusable } from "../optional-packages.ts";
import type { S3Limits } from "./s3-calls.ts";
import type { StagedFile } from "./vault.ts";

export interface S3Place {
  readonly bucket: string;
  /** What the names of our objects begin with: empty, or ending in a slash. */
  readonly prefix: string;
  /** Base address of a store that is not Amazon's; null: Amazon's. */
  readonly endpoint: string | null;
  /** Null: what the SDK finds. */
  readonly region: string | null;
}

export interface S3Address {
  readonly Bucket: string;
  readonly Key: string;
}

export type S3Sdk = typeof import("@aws-sdk/client-s3") & typeof import("@aws-sdk/s3-request-presigner");
export type { S3Client };

/** @throws SettingUnusable when the packages are not installed */
export const loadS3Sdk = (): Promise<S3Sdk> =>
  loadOptional(
    async () => ({ ...(await import("@aws-sdk/client-s3")), ...(await import("@aws-sdk/s3-request-presigner")) }),
    "RESUME_STORE",
    "@aws-sdk",
  );

/** @throws SettingUnusable when no setting names the region */
export async function createS3Client(sdk: S3Sdk, place: S3Place, limits: S3Limits): Promise<S3Client> {
  const agent = { keepAlive: true, maxSockets: limits.socketsMax };
  const client = new sdk.S3Client({
    ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
    ...(place.region === null ? {} : { region: place.region }),
    // A bucket of a store that is not Amazon's is seldom a host name.
    forcePathStyle: place.endpoint !== null,
    // By default the SDK wraps streams into chunks with a checksum behind them, which many stores refuse with 501. The
    // checksum is sent all the same; see uploadCommand.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // The SDK does not repeat streams; S3Calls repeats everything alike.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: limits.attemptMs,
      socketTimeout: limits.idleMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // The SDK's own logger writes to standard error, past our log.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await client.config.region().catch(() => {
    throw new SettingUnusable("S3_REGION", "is required, because no other setting names the region of RESUME_STORE.");
  });
  return client;
}

/** One try to send a staged file: `body` is read once. */
export function uploadCommand(sdk: S3Sdk, address: S3Address, staged: StagedFile, body: Readable): PutObjectCommand {
  const command = new sdk.PutObjectCommand({
    ...address,
    Body: body,
    ContentLength: staged.size,
    ContentType: "application/octet-stream",
    // A browser at the object's own address saves a file and never shows a page.
    ContentDisposition: "attachment",
    ChecksumSHA256: base64Of(staged.sha256),
  });
  // The hash is part of what is signed, so that every store has to compare it with what it received. The SDK would leave
  // it out of the signature of a stream.
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] = staged.sha256;
      return next(args);
    },
    { step: "build", name: "signedPayloadHash" },
  );
  return command;
}

/**
 * Whether the store says that it has what it was sent: by the checksum if it answers one, else by the ETag where that is
 * an MD5, as it is of all objects that are not encrypted. An answer without an ETag is not one of an object store.
 */
export async function acknowledges(answer: PutObjectCommandOutput, staged: StagedFile): Promise<boolean> {
  if (answer.ETag === undefined) return false;
  if (answer.ChecksumSHA256 !== undefined) return answer.ChecksumSHA256 === base64Of(staged.sha256);
  const [, md5] = /^"?([0-9a-f]{32})"?$/.exec(answer.ETag) ?? [];
  if (md5 === undefined || answer.ServerSideEncryption !== undefined) return true;
  const hash = createHash("md5");
  for await (const chunk of createReadStream(staged.path)) hash.update(chunk as Buffer);
  return hash.digest("hex") === md5;
}

const base64Of = (hex: string): string => Buffer.from(hex, "hex").toString("base64");

/** Answers, once the command was sent, what time it was for the store; NaN when it did not say. */
export function watchDate(command: ListObjectsV2Command): () => number {
  let date = Number.NaN;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = Date.parse((result.response as { headers: Record<string, string> }).headers["date"] ?? "");
      return result;
    },
    { step: "deserialize", name: "dateOfAnswer" },
  );
  return () => date;
}
