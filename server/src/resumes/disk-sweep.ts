// Removes what nobody will come back for from the folders of the disk vault. Reads folders entry by entry, so that a
// million files are no more memory than one; touches nothing that is not named as the vault names things.
import type { Dirent } from "node:fs";
import { opendir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Keys asked for at a time. */
const batchMax = 500;
/** Orphans looked at in one sweep; the next one finds the rest. */
const orphansMax = 10_000;
/** So many may be all there is: a service that was killed in its first minutes. */
const fewOrphans = 5;

/** Answers those of the keys that belong to an application. */
type Known = (keys: readonly string[]) => Promise<ReadonlySet<string>>;

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

/**
 * Removes the kept files that were kept before `before` (milliseconds) and are not known; answers how many. Crashes leave
 * a few such files. When they are many and the majority, the database is the one that is missing something (an older
 * backup, another file): then nothing is removed, and they are counted as withheld.
 */
export const sweepKept = async (
  root: string,
  known: Known,
  before: number,
): Promise<{ readonly orphaned: number; readonly withheld: number }> => {
  const orphans: string[] = [];
  let knownCount = 0;
  let keys: string[] = [];
  const settle = async () => {
    if (keys.length === 0) return;
    const kept = await known(keys);
    knownCount += kept.size;
    for (const key of keys) if (!kept.has(key) && orphans.length < orphansMax) orphans.push(key);
    keys = [];
  };
  for await (const key of listKeys(root, "", [/^\d{4}$/, /^\d{2}$/, /^\d{2}$/])) {
    if (await isOlder(join(root, key), before)) keys.push(key);
    if (keys.length >= batchMax) await settle();
  }
  await settle();
  if (orphans.length > fewOrphans && orphans.length > knownCount) return { orphaned: 0, withheld: orphans.length };
  for (const key of orphans) await rm(join(root, key), { force: true });
  return { orphaned: orphans.length, withheld: 0 };
};

/** The keys below `prefix`, where folders must be named as `levels` say. */
async function* listKeys(root: string, prefix: string, levels: readonly RegExp[]): AsyncGenerator<string> {
  const [level, ...deeper] = levels;
  for await (const entry of listFolder(join(root, prefix))) {
    if (level) {
      if (entry.isDirectory() && level.test(entry.name)) yield* listKeys(root, `${prefix}${entry.name}/`, deeper);
    } else if (entry.isFile() && /^[0-9a-f]{32}$/.test(entry.name)) {
      yield prefix + entry.name;
    }
  }
}

/** The entries of a folder; none when it went away meanwhile. */
async function* listFolder(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const isOlder = async (path: string, before: number): Promise<boolean> => {
  try {
    return (await stat(path)).mtimeMs < before;
  } catch (error) {
    // Its owner was faster.
    if (isMissing(error)) return false;
    throw error;
  }
};

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";
