// Keeps resumes as objects in a bucket of an S3 store, named as on a disk. Uploads are staged and judged on this machine's
// disk first, and sent from there as a stream.
import { rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Clock } from "../clock.ts";
import { reached } from "../failpoint.ts";
import { isSystemError } from "../file-errors.ts";
import { openBucket, type S3Place } from "./s3-bucket.ts";
import { s3Limits, type S3Limits } from "./s3-calls.ts";
import { freeBytesOf, openStagingFolder, probeFolder, watchRoom } from "./staging.ts";
import { isPaired, sweepVault, TakenBack } from "./sweep.ts";
import { assertKey, drawKey, VaultUnavailable, type StagedFile, type Vault } from "./vault.ts";

export interface S3Settings extends S3Place {
  /** Folder of this machine in which uploads are staged; made when it is missing. */
  readonly folder: string;
  readonly links: boolean;
}

/** Opens the vault. Does not call the store: a service may start while that is away. @throws SettingUnusable */
export const openS3Vault = async (settings: S3Settings, clock: Clock, limits: S3Limits = s3Limits): Promise<Vault> => {
  const bucket = await openBucket(settings, limits);
  const stagingFolder = await openStagingFolder(resolve(settings.folder));
  const takenBack = new TakenBack();

  return {
    stagingFolder,
    hasRoom: watchRoom(() => freeBytesOf(stagingFolder)),

    async keep(staged, { deadline = Infinity, key } = {}) {
      const kept = key ?? drawKey(clock.now());
      assertKey(kept);
      await assertWhole(staged);
      try {
        await bucket.put(kept, staged, Math.min(deadline, performance.now() + limits.triesMs));
      } catch (error) {
        // The object may be stored although the call failed.
        takenBack.add(kept);
        throw error;
      }
      takenBack.delete(kept);
      await rm(staged.path, { force: true });
      reached("resume-kept");
      return kept;
    },

    async discard(key) {
      assertKey(key);
      try {
        await bucket.remove(key, performance.now() + limits.discardMs);
      } catch (error) {
        takenBack.add(key);
        throw error;
      }
    },

    async read(key) {
      assertKey(key);
      return bucket.get(key);
    },

    async link(key, filename) {
      assertKey(key);
      return settings.links ? bucket.sign(key, filename) : null;
    },

    async checkReadiness() {
      try {
        await probeFolder(stagingFolder);
        await bucket.probe();
        return { ready: true };
      } catch (error) {
        if (isSystemError(error)) return { ready: false, reason: `staging folder cannot be written: ${error.code}` };
        if (error instanceof VaultUnavailable) return { ready: false, reason: error.message };
        throw error;
      }
    },

    sweep: (options) => sweepVault(bucket, takenBack, stagingFolder, clock.now(), options),

    belongsTo: (identity) => isPaired(bucket, identity),

    async [Symbol.asyncDispose]() {
      // The next process knows nothing of them. After an outage they are too many for its sweep, which would leave them for good.
      const deadline = performance.now() + limits.closeMs;
      await Promise.allSettled(Array.from(takenBack, (key) => bucket.remove(key, deadline)));
      bucket.close();
    },
  };
};

async function assertWhole({ path, size }: StagedFile): Promise<void> {
  const stats = await stat(path).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new VaultUnavailable("The staging folder cannot be used.", { cause: error });
  });
  if (stats.size !== size) throw new Error("the staged file is not as long as it should be");
}
