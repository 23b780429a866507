// Keeps resumes in date folders of a local disk under random names. Staging lies on the same volume, so that keeping
// one is a rename. Knows nothing of applications but the keys that somebody else knows.
import { randomBytes } from "node:crypto";
import { chmod, open, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { Clock } from "../clock.ts";
import { reached } from "../failpoint.ts";
import { sweepKept, sweepStaged } from "./disk-sweep.ts";
import { makeFolderDurably, SharedFolderSync } from "./folder-sync.ts";
import type { StagedFile, Vault } from "./vault.ts";

const stagingName = ".staging";

/** `yyyy/mm/dd/` and 128 random bits. Whatever else is asked for, is asked for by somebody who is guessing paths. */
const keyPattern = /^\d{4}\/\d{2}\/\d{2}\/[0-9a-f]{32}$/;

/** A block of any file system, so that a full disk shows. In bytes. */
const probeBytes = 4_096;

/** Opens the vault in `folder`, which is made when it is missing. Rejects when it cannot be made or written. */
export const openDiskVault = async (folder: string, clock: Clock): Promise<Vault> => {
  const root = resolve(folder);
  const stagingFolder = join(root, stagingName);
  await makeFolderDurably(root, stagingFolder);
  // The folder may be the operator's, with modes of their choice; the staging folder is ours.
  await chmod(stagingFolder, 0o700);
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
  async keep(staged: StagedFile): Promise<string> {
    const day = new Date(this.#clock.now()).toISOString().slice(0, 10).replaceAll("-", "/");
    const key = `${day}/${randomBytes(16).toString("hex")}`;
    await this.#settle(staged);
    reached("resume-synced");
    try {
      const folder = await this.#openDay(day);
      await rename(staged.path, this.#pathOf(key));
      await folder.sync();
    } catch (error) {
      // Somebody may have removed the folder that we remember; the next one makes it anew.
      if (this.#today?.day === day) this.#today = null;
      throw error;
    }
    reached("resume-kept");
    return key;
  }

  async discard(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  async read(key: string): Promise<Readable> {
    const handle = await open(this.#pathOf(key), "r");
    return handle.createReadStream();
  }

  async checkReadiness(): Promise<{ readonly ready: boolean; readonly reason?: string }> {
    try {
      // A folder that was replaced or mounted over takes files that nobody will find again.
      if ((await identify(this.#root)) !== this.#identity)
        return { ready: false, reason: "resume folder was replaced" };
      await this.#probe();
      return { ready: true };
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return { ready: false, reason: `resume folder cannot be written: ${error.code}` };
    }
  }

  async sweep(
    known: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
    olderThanMs: number,
  ): Promise<{ readonly staged: number; readonly orphaned: number; readonly withheld: number }> {
    const before = this.#clock.now() - olderThanMs;
    return {
      staged: await sweepStaged(this.stagingFolder, before),
      ...(await sweepKept(this.#root, known, before)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Holds nothing open between calls.
  }

  #pathOf(key: string): string {
    if (!keyPattern.test(key)) throw new RangeError("not a key of this vault");
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

  async #probe(): Promise<void> {
    const path = join(this.stagingFolder, `probe-${randomBytes(8).toString("hex")}`);
    try {
      await using handle = await open(path, "wx", 0o600);
      await handle.writeFile(Buffer.alloc(probeBytes));
      await handle.sync();
    } finally {
      await rm(path, { force: true });
    }
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && "syscall" in error;
