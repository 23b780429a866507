// Makes the names in folders durable: a file that was renamed into a folder survives a power failure only once the folder
// itself was synced.
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Waits until the names in the folder are on stable storage. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}

/**
 * Makes `folder` and what is missing above it, mode 0700, and makes it durable down from `root`, or from above `root`
 * when that was missing too. Also syncs folders that were there: another process may have made them a moment ago and not
 * synced them yet.
 */
export async function makeFolderDurably(root: string, folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  const top = firstMade !== undefined && root.startsWith(firstMade) ? dirname(firstMade) : root;
  let parent = folder;
  while (parent !== top) {
    parent = dirname(parent);
    await syncFolder(parent);
  }
}
