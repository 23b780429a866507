// The folder in which uploads lie while they are received and judged: on a disk of this machine, whatever the engine.
// Knows nothing of where files are kept afterwards.
import { randomBytes } from "node:crypto";
import { chmod, open, opendir, rm, stat } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { makeFolderDurably } from "./folder-sync.ts";

const stagingName = ".staging";

/** A block of any file system, so that a full disk shows. In bytes. */
const probeBytes = 4_096;

/** Makes the staging folder of `root` if need be, and answers its path. */
export const openStagingFolder = async (root: string): Promise<string> => {
  const folder = join(root, stagingName);
  await makeFolderDurably(root, folder);
  // The root may be the operator's, with modes of their choice; the staging folder is ours.
  await chmod(folder, 0o700);
  return folder;
};

/** Writes, syncs and removes a file. Rejects with the system's error when that cannot be done. */
export const probeFolder = async (folder: string): Promise<void> => {
  const path = join(folder, `probe-${randomBytes(8).toString("hex")}`);
  try {
    await using handle = await open(path, "wx", 0o600);
    await handle.writeFile(Buffer.alloc(probeBytes));
    await handle.sync();
  } finally {
    await rm(path, { force: true });
  }
};

/** Removes the files of the staging folder that were last written before `before` (milliseconds); answers how many. */
export const sweepStaged = async (folder: string, before: number): Promise<number> => {
  let removed = 0;
  for await (const entry of listFolder(folder)) {
    const path = join(folder, entry.name);
    if (!entry.isFile() || !(await isOlder(path, before))) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
};

/** The entries of a folder, one by one; none when it went away meanwhile. */
export async function* listFolder(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Whether a file was last written before `before` (milliseconds); not, when it is gone. */
export const isOlder = async (path: string, before: number): Promise<boolean> => {
  try {
    return (await stat(path)).mtimeMs < before;
  } catch (error) {
    // Its owner was faster.
    if (isMissing(error)) return false;
    throw error;
  }
};

export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;

export const isMissing = (error: unknown): boolean => isSystemError(error) && error.code === "ENOENT";
