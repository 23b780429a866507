// The objects of a bucket below our prefix, for the vault and for its sweep. Brings in the AWS SDK, which is installed only
// where resumes are kept in an object store, and which finds its credentials by itself.
import type { PutObjectCommandOutput } from "@aws-sdk/client-s3";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { loadOptional, SettingUnusable } from "../optional-packages.ts";
import { attachmentHeader } from "./display-name.ts";
import { asVaultError, isNotFound, storeCalls, type S3Limits } from "./s3-calls.ts";
import { hashOf } from "./staging.ts";
import type { Shelf, ShelvedFile } from "./sweep.ts";
import { failingAsVault, ResumeMissing, VaultUnavailable, type StagedFile } from "./vault.ts";

export interface S3Place {
  readonly bucket: string;
  readonly prefix: string;
  /** Base address of a store that is not Amazon's; null: Amazon's. */
  readonly endpoint: string | null;
  /** Null: what the SDK finds. */
  readonly region: string | null;
}

const identityName = ".identity";

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

const loadSdk = () =>
  loadOptional(
    async () => ({ ...(await import("@aws-sdk/client-s3")), ...(await import("@aws-sdk/s3-request-presigner")) }),
    "RESUME_STORE",
    "@aws-sdk",
  );

/** Ages follow the store's clock alone: what another machine has just sent must never look old. @throws SettingUnusable */
export async function openBucket(place: S3Place, limits: S3Limits) {
  const { bucket: Bucket, prefix } = place;
  const sdk = await loadSdk();
  const client = await createClient(sdk, place, limits);
  const send = storeCalls(limits);
  const addressOf = (name: string) => ({ Bucket, Key: prefix + name });

  /** A page of the list, and what time it was for the store; NaN when it did not say. */
  async function page(input: { Prefix: string; MaxKeys?: number; ContinuationToken?: string }) {
    return send(async (options) => {
      const command = new sdk.ListObjectsV2Command({ Bucket, ...input });
      let date = Number.NaN;
      command.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args);
          date = Date.parse((result.response as { headers: Record<string, string> }).headers["date"] ?? "");
          return result;
        },
        { step: "deserialize", name: "dateOfAnswer" },
      );
      return { answer: await client.send(command, options), date };
    });
  }

  /** Sent under one name however many tries it takes, so that a try whose answer was lost is overwritten by the next. */
  async function put(name: string, staged: StagedFile, deadline: number): Promise<void> {
    const answer = await send(
      async (options) => {
        const body = createReadStream(staged.path);
        const command = uploadCommand(sdk, addressOf(name), staged, body);
        return client.send(command, options).finally(() => body.destroy());
      },
      { deadline },
    );
    if (await acknowledges(answer, staged)) return;
    throw new VaultUnavailable("The object store acknowledged something else than it was sent.");
  }

  async function get(name: string): Promise<Readable> {
    const { Body } = await send((options) => client.send(new sdk.GetObjectCommand(addressOf(name)), options));
    // In Node it is the answer of the HTTP client, which fails when it ends before its length.
    return failingAsVault(Body as Readable, asVaultError);
  }

  async function remove(name: string, deadline?: number): Promise<void> {
    await send((options) => client.send(new sdk.DeleteObjectCommand(addressOf(name)), options), { deadline });
  }

  /** Sends nothing to the store, but the SDK may have to fetch credentials. */
  async function sign(name: string, filename: string): Promise<string> {
    const command = new sdk.GetObjectCommand({
      ...addressOf(name),
      ResponseContentType: "application/octet-stream",
      ResponseContentDisposition: attachmentHeader(filename),
    });
    return sdk.getSignedUrl(client, command, { expiresIn: limits.linkSeconds }).catch((error: unknown) => {
      throw asVaultError(error);
    });
  }

  async function probe(): Promise<void> {
    const deadline = performance.now() + limits.readinessMs;
    const once = { deadline, attemptsMax: 1 };
    await send((options) => client.send(new sdk.HeadBucketCommand({ Bucket }), options), once);
  }

  const now = async () => (await page({ Prefix: prefix, MaxKeys: 1 })).date;

  async function* list(below: string): AsyncGenerator<ShelvedFile> {
    let next: string | undefined;
    do {
      const from = next === undefined ? {} : { ContinuationToken: next };
      const { answer } = await page({ Prefix: prefix + below, ...from });
      for (const { Key = "", LastModified } of answer.Contents ?? []) {
        yield { name: Key.slice(prefix.length), writtenAt: LastModified?.getTime() ?? Number.NaN };
      }
      next = answer.NextContinuationToken;
    } while (next !== undefined);
  }

  async function move(from: string, to: string): Promise<boolean> {
    // Names of ours need no encoding; the prefix may.
    const CopySource = `${Bucket}/${(prefix + from).split("/").map(encodeURIComponent).join("/")}`;
    try {
      await send((options) => client.send(new sdk.CopyObjectCommand({ ...addressOf(to), CopySource }), options));
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
    await remove(from);
    return true;
  }

  async function readIdentity(): Promise<string | null> {
    try {
      return await text(await get(identityName));
    } catch (error) {
      if (error instanceof ResumeMissing) return null;
      throw asVaultError(error);
    }
  }

  async function writeIdentity(Body: string): Promise<void> {
    const input = { ...addressOf(identityName), Body };
    await send((options) => client.send(new sdk.PutObjectCommand(input), options));
  }

  const shelf: Shelf = { now, list, move, remove, readIdentity, writeIdentity };
  return { ...shelf, put, get, remove, sign, probe, close: () => client.destroy() };
}

async function createClient(sdk: Sdk, { endpoint, region }: S3Place, limits: S3Limits) {
  const agent = { keepAlive: true, maxSockets: limits.socketsMax };
  const client = new sdk.S3Client({
    ...(endpoint !== null && { endpoint }),
    ...(region !== null && { region }),
    // A bucket of a store that is not Amazon's is seldom a host name.
    forcePathStyle: endpoint !== null,
    // By default the SDK wraps streams into chunks with a checksum behind them, which many stores refuse with 501. The
    // checksum is sent all the same; see uploadCommand.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // The SDK does not repeat streams; s3-calls.ts repeats everything alike.
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
    const message = "is required, because no other setting names the region of RESUME_STORE.";
    throw new SettingUnusable({ name: "S3_REGION", message });
  });
  return client;
}

function uploadCommand(sdk: Sdk, address: { Bucket: string; Key: string }, staged: StagedFile, body: Readable) {
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

// Whether the store says that it has what it was sent: by the checksum if it answers one, else by the ETag where that is an
// MD5, as it is of all objects that are not encrypted. An answer without an ETag is not one of an object store.
async function acknowledges(answer: PutObjectCommandOutput, staged: StagedFile): Promise<boolean> {
  if (answer.ETag === undefined) return false;
  if (answer.ChecksumSHA256 !== undefined) return answer.ChecksumSHA256 === base64Of(staged.sha256);
  const [, md5] = /^"?([0-9a-f]{32})"?$/.exec(answer.ETag) ?? [];
  if (md5 === undefined || answer.ServerSideEncryption !== undefined) return true;
  return (await hashOf(createReadStream(staged.path), "md5")) === md5;
}

const base64Of = (hex: string): string => Buffer.from(hex, "hex").toString("base64");
