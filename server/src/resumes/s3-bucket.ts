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
export class S3Bucket implements Shelf {
  readonly #sdk: S3Sdk;
  readonly #client: S3Client;
  readonly #place: S3Place;
  readonly #calls: S3Calls;

  constructor(sdk: S3Sdk, client: S3Client, place: S3Place, calls: S3Calls) {
    this.#sdk = sdk;
    this.#client = client;
    this.#place = place;
    this.#calls = calls;
  }

  /** Sent under one name however many tries it takes, so that a try whose answer was lost is overwritten by the next. */
  async put(name: string, staged: StagedFile, deadline: number): Promise<void> {
    const answer = await this.#calls.send(async (abortSignal) => {
      const body = createReadStream(staged.path);
      const command = uploadCommand(this.#sdk, this.#addressOf(name), staged, body);
      return this.#client.send(command, { abortSignal }).finally(() => body.destroy());
    }, deadline);
    if (await acknowledges(answer, staged)) return;
    throw new VaultUnavailable("The object store acknowledged something else than it was sent.");
  }

  async get(name: string): Promise<Readable> {
    const command = () => new this.#sdk.GetObjectCommand(this.#addressOf(name));
    const { Body } = await this.#calls.send((abortSignal) => this.#client.send(command(), { abortSignal }));
    // In Node it is the answer of the HTTP client, which fails when it ends before its length.
    return Body as Readable;
  }

  async remove(name: string, deadline?: number): Promise<void> {
    const command = () => new this.#sdk.DeleteObjectCommand(this.#addressOf(name));
    await this.#calls.send((abortSignal) => this.#client.send(command(), { abortSignal }), deadline);
  }

  /** Sends nothing to the store, but the SDK may have to fetch credentials. */
  async sign(name: string, filename: string, seconds: number): Promise<string> {
    const command = new this.#sdk.GetObjectCommand({
      ...this.#addressOf(name),
      ResponseContentType: "application/octet-stream",
      ResponseContentDisposition: attachmentHeader(filename),
    });
    try {
      return await this.#sdk.getSignedUrl(this.#client, command, { expiresIn: seconds });
    } catch (error) {
      throw asVaultError(error);
    }
  }

  async probe(): Promise<void> {
    const command = new this.#sdk.HeadBucketCommand({ Bucket: this.#place.bucket });
    await this.#calls.sendOnce((abortSignal) => this.#client.send(command, { abortSignal }));
  }

  close(): void {
    this.#client.destroy();
  }

  async now(): Promise<number> {
    return (await this.#page({ Prefix: this.#place.prefix, MaxKeys: 1 })).date;
  }

  async *list(prefix: string): AsyncGenerator<ShelvedFile> {
    let next: string | undefined;
    do {
      const from = next === undefined ? {} : { ContinuationToken: next };
      const { answer } = await this.#page({ Prefix: this.#place.prefix + prefix, ...from });
      for (const { Key = "", LastModified } of answer.Contents ?? []) {
        yield { name: Key.slice(this.#place.prefix.length), writtenAt: LastModified?.getTime() ?? Number.NaN };
      }
      next = answer.NextContinuationToken;
    } while (next !== undefined);
  }

  async move(from: string, to: string): Promise<boolean> {
    const source = this.#addressOf(from);
    // Names of ours need no encoding; the prefix may.
    const CopySource = `${source.Bucket}/${source.Key.split("/").map(encodeURIComponent).join("/")}`;
    const command = () => new this.#sdk.CopyObjectCommand({ ...this.#addressOf(to), CopySource });
    try {
      await this.#calls.send((abortSignal) => this.#client.send(command(), { abortSignal }));
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
    await this.remove(from);
    return true;
  }

  async readIdentity(): Promise<string | null> {
    try {
      return await text(await this.get(identityName));
    } catch (error) {
      if (error instanceof ResumeMissing) return null;
      throw asVaultError(error);
    }
  }

  async writeIdentity(content: string): Promise<void> {
    const command = () => new this.#sdk.PutObjectCommand({ ...this.#addressOf(identityName), Body: content });
    await this.#calls.send((abortSignal) => this.#client.send(command(), { abortSignal }));
  }

  async #page(input: { readonly Prefix: string; readonly MaxKeys?: number; readonly ContinuationToken?: string }) {
    return this.#calls.send(async (abortSignal) => {
      const command = new this.#sdk.ListObjectsV2Command({ Bucket: this.#place.bucket, ...input });
      const dateOf = watchDate(command);
      return { answer: await this.#client.send(command, { abortSignal }), date: dateOf() };
    });
  }

  #addressOf(name: string): S3Address {
    return { Bucket: this.#place.bucket, Key: this.#place.prefix + name };
  }
}
