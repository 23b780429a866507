// The resumes of a data folder as the sweep leaves them: what it has set aside does not count.
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

export async function listResumes(dataFolder: string): Promise<string[]> {
  const root = join(dataFolder, "resumes");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !relative(root, entry.parentPath).startsWith("set-aside"))
    .map(({ name }) => name);
}
