// Makes a folder and what is missing above it, level by level: Node's own `recursive` never ends where a folder that exists
// answers ENOENT, as /proc does.
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ifMissing, isSystemError } from "./file-errors.ts";

/** Mode 0700. What exists keeps its mode. @returns the topmost folder that was made; undefined: all were there */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const found = await stat(folder).catch(ifMissing(null));
  if (found?.isDirectory()) return undefined;
  const top = dirname(folder) === folder ? undefined : await makeFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
    return top ?? folder;
  } catch (error) {
    // Another process was quicker, or a file has the name.
    if (isSystemError(error) && error.code === "EEXIST" && (await stat(folder)).isDirectory()) return top;
    throw error;
  }
}
