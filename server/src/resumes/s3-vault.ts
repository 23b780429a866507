// Keeps resumes as objects in a bucket of an S3 store, named as on a disk. Uploads are staged on this machine's disk first,
// where they are judged, and sent from there as a stream. Knows nothing of applications.
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import type { Clock } from "../clock.ts";
import { reached } from "../failpoint.ts";
import { attachmentHeader } from "./display-name.ts";
import { findOrphans } from "./orphans.ts";
import { asVaultError, S3Calls } from "./s3-calls.ts";
import { s3Limits, type S3Limits } from "./s3-limits.ts";
import { createS3Client, loadS3Sdk, watchDate, type S3Place, type S3Sdk } from "./s3-sdk.ts";
import { acknowledges, assertWhole, uploadCommand, type S3Address } from "./s3-upload.ts";
import { isSystemError, openStagingFolder, probeFolder, sweepStaged } from "./staging-folder.ts";
import { assertKey, dayOf, drawKey, keyPattern } from "./vault-key.ts";
import { VaultUnavailable, type KnownKeys, type StagedFile, type Swept, type Vault } from "./vault.ts";

/** A vault in a bucket. */
export interface S3Settings extends S3Place {
  /** Folder of this machine in which uploads are staged; made when it is missing. */
  readonly folder: string;
  /** Whether {@link Vault.link} gives links. */
  readonly links: boolean;
}

/**
 * Opens the vault. The store itself is not asked for anything: a service may start while it is away.
 *
 * @throws SettingUnusable
 */
export const openS3Vault = async (settings: S3Settings, clock: Clock, limits: S3Limits = s3Limits): Promise<Vault> => {
  const sdk = await loadS3Sdk();
  const client = await createS3Client(sdk, settings, limits);
  return new S3Vault({ sdk, client, settings, clock, limits, stagingFolder: await stagingFolderOf(settings) });
};

const stagingFolderOf = ({ folder }: S3Settings) => openStagingFolder(resolve(folder));

interface Parts {
  readonly sdk: S3Sdk;
  readonly client: S3Client;
  readonly settings: S3Settings;
  readonly clock: Clock;
  readonly limits: S3Limits;
  readonly stagingFolder: string;
}

class S3Vault implements Vault {
  readonly stagingFolder: string;
  readonly #sdk: S3Sdk;
  readonly #client: S3Client;
  readonly #settings: S3Settings;
  readonly #clock: Clock;
  readonly #limits: S3Limits;
  readonly #calls: S3Calls;

  constructor({ sdk, client, settings, clock, limits, stagingFolder }: Parts) {
    this.stagingFolder = stagingFolder;
    this.#sdk = sdk;
    this.#client = client;
    this.#settings = settings;
    this.#clock = clock;
    this.#limits = limits;
    this.#calls = new S3Calls(limits);
  }

  /** Sent under one key however many tries it takes, so that a try that succeeded unheard is overwritten by the next. */
  async keep(staged: StagedFile, key = drawKey(dayOf(this.#clock.now()))): Promise<string> {
    const address = this.#addressOf(key);
    await assertWhole(staged);
    const answer = await this.#calls.send(async (abortSignal) => {
      const body = createReadStream(staged.path);
      const command = uploadCommand(this.#sdk, address, staged, body);
      return this.#client.send(command, { abortSignal }).finally(() => body.destroy());
    });
    if (!(await acknowledges(answer, staged))) {
      throw new VaultUnavailable("The object store acknowledged something else than it was sent.");
    }
    await rm(staged.path, { force: true });
    reached("resume-kept");
    return key;
  }

  async discard(key: string): Promise<void> {
    const address = this.#addressOf(key);
    const command = () => new this.#sdk.DeleteObjectCommand(address);
    await this.#calls.send((abortSignal) => this.#client.send(command(), { abortSignal }));
  }

  async read(key: string): Promise<Readable> {
    const address = this.#addressOf(key);
    const command = () => new this.#sdk.GetObjectCommand(address);
    const { Body } = await this.#calls.send((abortSignal) => this.#client.send(command(), { abortSignal }));
    // In Node it is the answer of the HTTP client, which fails when it ends before its length.
    return Body as Readable;
  }

  async link(key: string, filename: string): Promise<string | null> {
    const address = this.#addressOf(key);
    if (!this.#settings.links) return null;
    const command = new this.#sdk.GetObjectCommand({
      ...address,
      ResponseContentType: "application/octet-stream",
      ResponseContentDisposition: attachmentHeader(filename),
    });
    try {
      // Nothing is sent, but the credentials may have to be fetched.
      return await this.#sdk.getSignedUrl(this.#client, command, { expiresIn: this.#limits.linkSeconds });
    } catch (error) {
      throw asVaultError(error);
    }
  }

  async checkReadiness(): Promise<{ readonly ready: boolean; readonly reason?: string }> {
    const command = new this.#sdk.HeadBucketCommand({ Bucket: this.#settings.bucket });
    try {
      await probeFolder(this.stagingFolder);
      await this.#calls.sendOnce((abortSignal) => this.#client.send(command, { abortSignal }));
      return { ready: true };
    } catch (error) {
      if (isSystemError(error)) return { ready: false, reason: `staging folder cannot be written: ${error.code}` };
      if (error instanceof VaultUnavailable) return { ready: false, reason: error.message };
      throw error;
    }
  }

  async sweep(known: KnownKeys, olderThanMs: number): Promise<Swept> {
    const staged = await sweepStaged(this.stagingFolder, this.#clock.now() - olderThanMs);
    const { orphans, withheld } = await findOrphans(this.#listOldKeys(olderThanMs), known);
    // One by one: not every store takes many at once, and there are few. Another process may have been faster.
    for (const key of orphans) await this.discard(key);
    return { staged, orphaned: orphans.length, withheld };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy();
  }

  #addressOf(key: string): S3Address {
    assertKey(key);
    return { Bucket: this.#settings.bucket, Key: this.#settings.prefix + key };
  }

  /**
   * Ages are counted by the store's clock alone, that of its answer and that of its objects: ours may be wrong, and what
   * another machine has just sent must never look old.
   */
  async *#listOldKeys(olderThanMs: number): AsyncGenerator<string> {
    const { bucket, prefix } = this.#settings;
    let next: string | undefined;
    do {
      const from = next === undefined ? {} : { ContinuationToken: next };
      const { answer, date } = await this.#calls.send(async (abortSignal) => {
        const command = new this.#sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...from });
        const dateOf = watchDate(command);
        return { answer: await this.#client.send(command, { abortSignal }), date: dateOf() };
      });
      for (const { Key = "", LastModified } of answer.Contents ?? []) {
        const key = Key.slice(prefix.length);
        // Without a date, on either side, nothing is old.
        if (keyPattern.test(key) && (LastModified?.getTime() ?? Number.NaN) < date - olderThanMs) yield key;
      }
      next = answer.NextContinuationToken;
    } while (next !== undefined);
  }
}
