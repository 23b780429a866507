// What is sent to keep a resume in an object store, and whether what comes back says that it is there.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { PutObjectCommand, PutObjectCommandOutput } from "@aws-sdk/client-s3";
import type { S3Sdk } from "./s3-sdk.ts";
import { isSystemError } from "./staging-folder.ts";
import { VaultUnavailable, type StagedFile } from "./vault.ts";

/** Where an object is. */
export interface S3Address {
  readonly Bucket: string;
  readonly Key: string;
}

/** @throws VaultUnavailable when the staged file cannot be found */
export async function assertWhole({ path, size }: StagedFile): Promise<void> {
  const stats = await stat(path).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new VaultUnavailable("The staging folder cannot be used.", { cause: error });
  });
  if (stats.size !== size) throw new Error("the staged file is not as long as it should be");
}

/** One try to send it: `body` is read once. */
export function uploadCommand(sdk: S3Sdk, address: S3Address, staged: StagedFile, body: Readable): PutObjectCommand {
  const command = new sdk.PutObjectCommand({
    ...address,
    Body: body,
    ContentLength: staged.size,
    ContentType: "application/octet-stream",
    // Whoever opens the object's own address gets a file, never a page.
    ContentDisposition: "attachment",
    ChecksumSHA256: base64Of(staged.sha256),
  });
  // The hash is part of what is signed, so that every store has to compare it with what it received; the SDK would
  // leave it out of the signature of a stream.
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
 * an MD5, as everywhere but with encrypted objects. An answer without an ETag is not one of an object store.
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
