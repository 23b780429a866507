// The objects of a bucket below our prefix, for the vault and for its sweep.
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { attachmentHeader } from "./display-name.ts";
import { asVaultError, isNotFound, type S3Calls } from "./s3-calls.ts";
import {
  acknowledges,
  uploadCommand,
  watchDate,
  type S3Address,
  type S3Client,
  type S3Place,
  type S3Sdk,
} from "./s3-sdk.ts";
import type { Shelf, ShelvedFile } from "./sweep.ts";
import { ResumeMissing, VaultUnavailable, type StagedFile } from "./vault.ts";

const identityName = ".identity";

/**
 * Names are without the prefix. Ages follow the store's clock alone, that of its answers and that of
 * its objects: ours may be wrong, and what another machine has just sent must never look old.
 */
export function openBucket(sdk: S3Sdk, client: S3Client, { bucket: Bucket, prefix }: S3Place, calls: S3Calls) {
  const addressOf = (name: string): S3Address => ({ Bucket, Key: prefix + name });

  async function page(input: { Prefix: string; MaxKeys?: number; ContinuationToken?: string }) {
    return calls.send(async (abortSignal) => {
      const command = new sdk.ListObjectsV2Command({ Bucket, ...input });
      const dateOf = watchDate(command);
      return { answer: await client.send(command, { abortSignal }), date: dateOf() };
    });
  }

  /** Sent under one name however many tries it takes, so that a try whose answer was lost is overwritten by the next. */
  async function put(name: string, staged: StagedFile, deadline: number): Promise<void> {
    const answer = await calls.send(async (abortSignal) => {
      const body = createReadStream(staged.path);
      const command = uploadCommand(sdk, addressOf(name), staged, body);
      return client.send(command, { abortSignal }).finally(() => body.destroy());
    }, deadline);
    if (await acknowledges(answer, staged)) return;
    throw new VaultUnavailable("The object store acknowledged something else than it was sent.");
  }

  async function get(name: string): Promise<Readable> {
    const command = () => new sdk.GetObjectCommand(addressOf(name));
    const { Body } = await calls.send((abortSignal) => client.send(command(), { abortSignal }));
    // In Node it is the answer of the HTTP client, which fails when it ends before its length.
    return Body as Readable;
  }

  async function remove(name: string, deadline?: number): Promise<void> {
    const command = () => new sdk.DeleteObjectCommand(addressOf(name));
    await calls.send((abortSignal) => client.send(command(), { abortSignal }), deadline);
  }

  /** Sends nothing to the store, but the SDK may have to fetch credentials. */
  async function sign(name: string, filename: string, seconds: number): Promise<string> {
    const command = new sdk.GetObjectCommand({
      ...addressOf(name),
      ResponseContentType: "application/octet-stream",
      ResponseContentDisposition: attachmentHeader(filename),
    });
    try {
      return await sdk.getSignedUrl(client, command, { expiresIn: seconds });
    } catch (error) {
      throw asVaultError(error);
    }
  }

  async function probe(): Promise<void> {
    const command = new sdk.HeadBucketCommand({ Bucket });
    await calls.sendOnce((abortSignal) => client.send(command, { abortSignal }));
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
    const source = addressOf(from);
    // Names of ours need no encoding; the prefix may.
    const CopySource = `${source.Bucket}/${source.Key.split("/").map(encodeURIComponent).join("/")}`;
    const command = () => new sdk.CopyObjectCommand({ ...addressOf(to), CopySource });
    try {
      await calls.send((abortSignal) => client.send(command(), { abortSignal }));
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

  async function writeIdentity(content: string): Promise<void> {
    const command = () => new sdk.PutObjectCommand({ ...addressOf(identityName), Body: content });
    await calls.send((abortSignal) => client.send(command(), { abortSignal }));
  }

  const close = () => client.destroy();
  const shelf: Shelf = { now, list, move, remove, readIdentity, writeIdentity };
  return { ...shelf, put, get, remove, sign, probe, close };
}
