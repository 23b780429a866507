// Keeps resumes in date folders of a local disk under random names. Staging lies on the same volume, so that keeping
// one is a rename. Knows nothing of applications but the keys that somebody else knows.
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { Clock } from "../clock.ts";
import { reached } from "../failpoint.ts";
import { listOldKeys } from "./disk-sweep.ts";
import { makeFolderDurably, SharedFolderSync } from "./folder-sync.ts";
import { findOrphans } from "./orphans.ts";
import { isMissing, isSystemError, openStagingFolder, probeFolder, sweepStaged } from "./staging-folder.ts";
import { assertKey, dayOf, drawKey } from "./vault-key.ts";
import { ResumeMissing, VaultUnavailable, type KnownKeys, type StagedFile, type Swept, type Vault } from "./vault.ts";

/** Opens the vault in `folder`, which is made when it is missing. Rejects when it cannot be made or written. */
export const openDiskVault = async (folder: string, clock: Clock): Promise<Vault> => {
  const root = resolve(folder);
  const stagingFolder = await openStagingFolder(root);
  return new DiskVault(root, stagingFolder, clock, await identify(root));
};

/** What tells one folder from another of the same name. */
const identify = async (folder: string): Promise<string> => {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
};

class DiskVault implements Vault {
  readonly stagingFolder: string;
  readonly #root: string;
  readonly #clock: Clock;
  readonly #identity: string;
  #today: { readonly day: string; readonly folder: Promise<SharedFolderSync> } | null = null;

  constructor(root: string, stagingFolder: string, clock: Clock, identity: string) {
    this.#root = root;
    this.stagingFolder = stagingFolder;
    this.#clock = clock;
    this.#identity = identity;
  }

  /**
   * The order is the promise: bytes, folders, name, and each on stable storage before the next. When it fails after
   * the rename, the file is one that no application knows, and the sweep takes it.
   */
  async keep(staged: StagedFile, key = drawKey(dayOf(this.#clock.now()))): Promise<string> {
    const path = this.#pathOf(key);
    const day = dirname(key);
    try {
      await this.#settle(staged);
      reached("resume-synced");
      const folder = await this.#openDay(day);
      await rename(staged.path, path);
      await folder.sync();
    } catch (error) {
      // Somebody may have removed the folder that we remember; the next one makes it anew.
      if (this.#today?.day === day) this.#today = null;
      throw asUnavailable(error);
    }
    reached("resume-kept");
    return key;
  }

  async discard(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await rm(path, { force: true }).catch(rejectAsUnavailable);
  }

  async read(key: string): Promise<Readable> {
    const path = this.#pathOf(key);
    const handle = await open(path, "r").catch((error: unknown) => {
      if (isMissing(error)) throw new ResumeMissing("There is no such file in the resume folder.", { cause: error });
      throw asUnavailable(error);
    });
    return handle.createReadStream();
  }

  // A folder has no address.
  async link(): Promise<null> {
    return null;
  }

  async checkReadiness(): Promise<{ readonly ready: boolean; readonly reason?: string }> {
    try {
      // A folder that was replaced or mounted over takes files that nobody will find again.
      if ((await identify(this.#root)) !== this.#identity)
        return { ready: false, reason: "resume folder was replaced" };
      await probeFolder(this.stagingFolder);
      return { ready: true };
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return { ready: false, reason: `resume folder cannot be written: ${error.code}` };
    }
  }

  async sweep(known: KnownKeys, olderThanMs: number): Promise<Swept> {
    const before = this.#clock.now() - olderThanMs;
    try {
      const staged = await sweepStaged(this.stagingFolder, before);
      const { orphans, withheld } = await findOrphans(listOldKeys(this.#root, before), known);
      for (const key of orphans) await rm(join(this.#root, key), { force: true });
      return { staged, orphaned: orphans.length, withheld };
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Holds nothing open between calls.
  }

  #pathOf(key: string): string {
    assertKey(key);
    return join(this.#root, key);
  }

  /** Puts the bytes on stable storage. */
  async #settle(staged: StagedFile): Promise<void> {
    await using handle = await open(staged.path, "r+");
    if ((await handle.stat()).size !== staged.size) throw new Error("the staged file is not as long as it should be");
    await handle.chmod(0o600);
    // The sweep counts the age of a kept file from here, by the same clock.
    const now = new Date(this.#clock.now());
    await handle.utimes(now, now);
    await handle.sync();
  }

  /** The folder of one day, once it is durable. */
  #openDay(day: string): Promise<SharedFolderSync> {
    if (this.#today?.day !== day) {
      const path = join(this.#root, day);
      const folder = makeFolderDurably(this.#root, path).then(() => new SharedFolderSync(path));
      this.#today = { day, folder };
    }
    return this.#today.folder;
  }
}

/** What the system says of the folder (no space, not writable, gone) is about our storage, not about a mistake. */
const asUnavailable = (error: unknown): unknown =>
  isSystemError(error) ? new VaultUnavailable("The resume folder cannot be used.", { cause: error }) : error;

const rejectAsUnavailable = (error: unknown): never => {
  throw asUnavailable(error);
};
