// Keeps resumes in date folders of a local disk under random names. The staging folder is on the same volume, so that
// keeping a resume is a rename.
import { open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { Clock } from "../clock.ts";
import { reached } from "../failpoint.ts";
import { ifMissing, isMissing, isSystemError } from "../file-errors.ts";
import {
  freeBytesOf,
  listFolder,
  makeFolderDurably,
  openStagingFolder,
  probeFolder,
  syncFolder,
  watchRoom,
  writtenAt,
} from "./staging.ts";
import { isPaired, sweepVault, TakenBack, type Shelf, type ShelvedFile } from "./sweep.ts";
import {
  assertKey,
  drawKey,
  failingAsVault,
  ResumeMissing,
  VaultUnavailable,
  type StagedFile,
  type Vault,
} from "./vault.ts";

export interface DiskSettings {
  readonly folder: string;
  /** With less free bytes there is no room for uploads; 1 GiB when absent. */
  readonly freeBytesMin?: number;
}

/** Opens the vault. Rejects when its folder cannot be made or written. */
export const openDiskVault = async ({ folder, freeBytesMin }: DiskSettings, clock: Clock): Promise<Vault> => {
  const root = resolve(folder);
  const stagingFolder = await openStagingFolder(root);
  const inode = await inodeOf(root);
  const shelf = diskShelf(root, clock);
  const takenBack = new TakenBack();
  let today: { readonly day: string; readonly folder: Promise<string> } | null = null;

  const pathOf = (key: string): string => {
    assertKey(key);
    return join(root, key);
  };

  /** The folder of one day, once it is durable. */
  const openDay = (day: string): Promise<string> => {
    if (today?.day !== day) {
      const path = join(root, day);
      today = { day, folder: makeFolderDurably(root, path).then(() => path) };
    }
    return today.folder;
  };

  const assertSameFolder = async () => {
    // Files would be lost in a folder that was replaced or mounted over.
    if ((await inodeOf(root)) !== inode) throw new VaultUnavailable("The resume folder was replaced.");
  };

  return {
    stagingFolder,
    hasRoom: watchRoom(() => freeBytesOf(stagingFolder), freeBytesMin),

    /** The file is safe because of this order: bytes, folders, name, each synced before the next. */
    async keep(staged, { deadline = Infinity, key } = {}) {
      const kept = key ?? drawKey(clock.now());
      const path = pathOf(kept);
      const day = dirname(kept);
      let renamed = false;
      try {
        await assertSameFolder();
        await settle(staged, clock);
        reached("resume-synced");
        const dayFolder = await openDay(day);
        if (performance.now() >= deadline) throw new VaultUnavailable("The resume folder was too slow.");
        await rename(staged.path, path);
        renamed = true;
        await syncFolder(dayFolder);
      } catch (error) {
        // Not before: a sweep that runs meanwhile must not take the file of a resume that is about to be stored.
        if (renamed) takenBack.add(kept);
        // If its folder was removed, the next resume makes it anew.
        if (today?.day === day) today = null;
        return unavailable(error);
      }
      reached("resume-kept");
      return kept;
    },

    async discard(key) {
      const path = pathOf(key);
      await removeDurably(path).catch((error: unknown) => {
        takenBack.add(key);
        return unavailable(error);
      });
    },

    read: (key) => readFrom(root, key),

    // Files in a folder have no URL.
    link: async () => null,

    async checkReadiness() {
      try {
        await assertSameFolder();
        await probeFolder(stagingFolder);
        return { ready: true };
      } catch (error) {
        if (error instanceof VaultUnavailable) return { ready: false, reason: error.message };
        if (!isSystemError(error)) throw error;
        return { ready: false, reason: `resume folder cannot be written: ${error.code}` };
      }
    },

    sweep: (options) => sweepVault(shelf, takenBack, stagingFolder, clock.now(), options).catch(unavailable),

    belongsTo: (identity) => isPaired(shelf, identity).catch(unavailable),

    [Symbol.asyncDispose]: async () => {},
  };
};

/** The bytes of a file that a vault keeps in this folder, also where nothing can be written. @throws as `Vault.read` */
export async function readFrom(root: string, key: string): Promise<Readable> {
  assertKey(key);
  const handle = await open(join(root, key), "r").catch((error: unknown) => {
    if (isMissing(error)) throw new ResumeMissing("There is no such file in the resume folder.", { cause: error });
    return unavailable(error);
  });
  return failingAsVault(handle.createReadStream(), asVaultError);
}

/** Tells a folder from another one of the same name. */
const inodeOf = async (folder: string): Promise<string> => {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
};

/** Removes a file so that it stays away after a power failure. An absent one is no error. */
async function removeDurably(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncFolder(dirname(path)).catch(ifMissing(undefined));
}

/** Puts the bytes on stable storage. The age of the kept file counts from here. */
async function settle(staged: StagedFile, clock: Clock): Promise<void> {
  await using handle = await open(staged.path, "r+");
  if ((await handle.stat()).size !== staged.size) throw new Error("the staged file is not as long as it should be");
  await handle.chmod(0o600);
  const now = new Date(clock.now());
  await handle.utimes(now, now);
  await handle.sync();
}

/** Errors of the system (no space, not writable, gone) are about our storage; others are mistakes and pass. */
const asVaultError = (error: unknown): unknown =>
  isSystemError(error) ? new VaultUnavailable("The resume folder cannot be used.", { cause: error }) : error;

const unavailable = (error: unknown): never => {
  throw asVaultError(error);
};

const identityName = ".identity";

function diskShelf(root: string, clock: Clock): Shelf {
  async function* list(prefix: string): AsyncGenerator<ShelvedFile> {
    for await (const entry of listFolder(join(root, prefix))) {
      const name = prefix + entry.name;
      if (entry.isDirectory()) yield* list(`${name}/`);
      else if (entry.isFile()) yield { name, writtenAt: await writtenAt(join(root, name)) };
    }
  }

  async function move(from: string, to: string): Promise<boolean> {
    const [source, target] = [join(root, from), join(root, to)];
    const now = new Date(clock.now());
    try {
      await utimes(source, now, now);
      await makeFolderDurably(root, dirname(target));
      await rename(source, target);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    for (const folder of [dirname(target), dirname(source)]) await syncFolder(folder);
    return true;
  }

  // The text is the name of an empty folder: a name is changed at once, never in part, and is no file among the resumes.
  async function readIdentity(): Promise<string | null> {
    const [text = null] = await readdir(join(root, identityName)).catch(ifMissing([]));
    return text;
  }

  async function writeIdentity(text: string): Promise<void> {
    const [folder, before] = [join(root, identityName), await readIdentity()];
    if (before === null) return makeFolderDurably(root, join(folder, text));
    await rename(join(folder, before), join(folder, text));
    await syncFolder(folder);
  }

  const remove = (name: string) => rm(join(root, name), { force: true });
  return { now: async () => clock.now(), list, move, remove, readIdentity, writeIdentity };
}
