// The folder in which uploads lie while they are received and judged, on a disk of this machine whatever the vault, and
// what vaults and backups do with folders.
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, type Dirent } from "node:fs";
import { chmod, open, opendir, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ifMissing, isMissing } from "../file-errors.ts";
import { makeFolder } from "../make-folder.ts";
import { shareAnswer } from "../share-answer.ts";
import type { StagedFile } from "./vault.ts";

/** A block of any file system, so that a full disk shows. */
const probeBytes = 4_096;

/** The database may lie on the same disk, and must be able to go on when uploads have to stop. */
const freeBytesMin = 1024 ** 3;

/** How old an answer may be: a burst of uploads is one question to the disk. */
const roomCheckMs = 1_000;

/** Makes the staging folder of `root` if need be, and answers its path. */
export async function openStagingFolder(root: string): Promise<string> {
  const folder = join(root, ".staging");
  await makeFolderDurably(root, folder);
  // The root may be the operator's, with modes of their choice; the staging folder is ours.
  await chmod(folder, 0o700);
  return folder;
}

/** Writes bytes to a new file of the staging folder while they are hashed. */
export async function stage(bytes: Readable, path: string): Promise<StagedFile> {
  const hash = createHash("sha256");
  let size = 0;
  bytes.on("data", (piece: Buffer) => {
    size += piece.length;
    hash.update(piece);
  });
  await pipeline(bytes, createWriteStream(path, { flags: "wx", mode: 0o600, highWaterMark: 64 * 1024 }));
  return { path, size, sha256: hash.digest("hex") };
}

/** The hash of all bytes, lower-case hexadecimal. */
export async function hashOf(bytes: Readable, algorithm = "sha256"): Promise<string> {
  const hash = createHash(algorithm);
  for await (const piece of bytes as AsyncIterable<Buffer>) hash.update(piece);
  return hash.digest("hex");
}

/** Writes, syncs and removes a file. Rejects with the system's error when that cannot be done. */
export async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, `probe-${randomBytes(8).toString("hex")}`);
  try {
    await using handle = await open(path, "wx", 0o600);
    await handle.writeFile(Buffer.alloc(probeBytes));
    await handle.sync();
  } finally {
    await rm(path, { force: true });
  }
}

/** Removes the files of the staging folder that were last written before `before` (milliseconds); answers how many. */
export async function sweepStaged(folder: string, before: number): Promise<number> {
  let removed = 0;
  for await (const entry of listFolder(folder)) {
    const path = join(folder, entry.name);
    if (!entry.isFile() || !((await writtenAt(path)) < before)) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/** The entries of a folder, one by one, so that a million take no more memory than one; none when it is gone. */
export async function* listFolder(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** When a file was last written, in milliseconds; NaN when it is gone. */
export const writtenAt = (path: string): Promise<number> =>
  stat(path).then(({ mtimeMs }) => mtimeMs, ifMissing(Number.NaN));

/** Answers whether there is room on a disk. A disk that fails has none. */
export const watchRoom = (freeBytes: () => Promise<number>, bytesMin = freeBytesMin, now?: () => number) =>
  shareAnswer(async () => (await freeBytes().catch(() => -1)) >= bytesMin, roomCheckMs, now);

/** What an ordinary user may still write to the disk of a folder. Infinite where the file system has no size. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return blocks === 0 ? Infinity : bavail * bsize;
}

/** Waits until the names in the folder are on stable storage: without it a rename may not survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}

// Makes `folder` and what is missing above it, mode 0700, durable down from `root`, or from above `root` when that was
// missing too. Also syncs folders that were there: another process may have made them a moment ago.
export async function makeFolderDurably(root: string, folder: string): Promise<void> {
  const firstMade = await makeFolder(folder);
  const top = firstMade !== undefined && root.startsWith(firstMade) ? dirname(firstMade) : root;
  let parent = folder;
  while (parent !== top) {
    parent = dirname(parent);
    await syncFolder(parent);
  }
}
