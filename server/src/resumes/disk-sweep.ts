// Finds the old files of the disk vault. Reads folders entry by entry, so that a million files are no more memory than
// one; sees nothing that is not named as the vault names things.
import { join } from "node:path";
import { isOlder, listFolder } from "./staging-folder.ts";

/** The keys below `root` of files that were kept before `before` (milliseconds). */
export async function* listOldKeys(root: string, before: number): AsyncGenerator<string> {
  for await (const key of listKeys(root, "", [/^\d{4}$/, /^\d{2}$/, /^\d{2}$/])) {
    if (await isOlder(join(root, key), before)) yield key;
  }
}

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
