// Reads a file that a setting names, once, when the configuration is loaded. Knows nothing of what is in it.
import { readFileSync, statSync } from "node:fs";
import { Wrong } from "./variables.ts";

/** Such files are read whole; a larger one is somebody else's. */
const settingsBytesMax = 4 * 1024 * 1024;

/** The text of the file, without a byte-order mark; or in plain words why it cannot be used. */
export function readSettingsFile(file: string): string | Wrong {
  try {
    // A pipe or a device would never end.
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > settingsBytesMax)
      return new Wrong("must be the path of a file of at most 4 MiB.");
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    // A system error: absent, unreadable.
    return new Wrong(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"}).`);
  }
}
