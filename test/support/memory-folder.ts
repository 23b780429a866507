// Where tests keep what they store: in memory, if there is room. On a disk every commit would wait for a sync.
import { statfsSync } from "node:fs";

const folder = "/dev/shm";
/** More than tests store at a time, and 1 GiB: with less room the service refuses uploads. */
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

/** The variable that makes `tmpdir()` that folder; none where temporary files stay on the disk. */
export const inMemory: Readonly<Record<string, string>> = hasRoom() ? { TMPDIR: folder } : {};
