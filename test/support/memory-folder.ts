// Where tests keep what they store: in memory where there is room for it. Every commit waits for a sync, and what a sync
// to a disk is worth shows when the machine loses its power, which no test does.
import { statfsSync } from "node:fs";

const folder = "/dev/shm";
/** Beyond what tests store at a time: below 1 GiB the service refuses uploads. */
const roomMin = 4 * 1024 ** 3;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= roomMin;
  } catch (error) {
    // Not Linux.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** The settings that have `tmpdir()` lead there; none where temporary files are on disk. */
export const inMemory: Readonly<Record<string, string>> = hasRoom() ? { TMPDIR: folder } : {};
