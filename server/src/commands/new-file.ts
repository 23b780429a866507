// Writes a file that appears whole or not at all, readable by its owner only, and never over another one.
import { randomUUID } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { OperatorError } from "../operator-error.ts";

/**
 * Has `write` fill a temporary file next to `file`, then syncs it and gives it its name. On failure nothing is left.
 *
 * @throws OperatorError when `file` exists and was not touched, or when its folder does not exist or may not be written to
 */
export async function writeNewFile(file: string, write: (temporary: string) => Promise<void>): Promise<void> {
  await refuseExisting(file);
  const temporary = `${file}.${randomUUID()}.partial`;
  // Made before the writer opens it, so that others can never read its bytes.
  await (await makeIn(dirname(file), temporary)).close();
  try {
    await write(temporary);
    await sync(temporary);
    await refuseExisting(file);
    await rename(temporary, file);
    await sync(dirname(file));
  } finally {
    await rm(temporary, { force: true });
  }
}

const makeIn = (folder: string, temporary: string): Promise<FileHandle> =>
  open(temporary, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new OperatorError(`There is no folder ${folder}.`);
    if (error.code !== "EACCES" && error.code !== "EROFS") throw error;
    throw new OperatorError(`Nothing may be written to the folder ${folder}. Name another one. (${error.code})`);
  });

async function refuseExisting(file: string): Promise<void> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (found !== null) throw new OperatorError(`${file} already exists.`);
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
