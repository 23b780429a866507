// Before any browser starts: two test files at once would build the pages and unpack the browser on top of each other.
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import packed from "@sparticuz/chromium";
import { build } from "vite";

const root = join(import.meta.dirname, "../../..");
const client = join(root, "client");
/** What the builds are made of. Folders as well: one changes with the names in it. */
const sources = ["client/src/**", "shared/src/**", "client/*.ts", "client/package.json", "package-lock.json"];

export async function setup(): Promise<void> {
  if (!isBuilt()) {
    // Vitest says `test` here, and React would be built for development.
    const { NODE_ENV } = process.env;
    process.env["NODE_ENV"] = "production";
    for (const name of ["forms", "console"]) {
      await build({ configFile: join(client, `vite.${name}.config.ts`), logLevel: "warn" });
    }
    process.env["NODE_ENV"] = NODE_ENV;
  }
  if (process.env["CHROMIUM_PATH"] === undefined) await packed.executablePath();
}

/** Whether both are newer than all that they are made of: an install builds them. */
function isBuilt(): boolean {
  const times = (...patterns: string[]) =>
    globSync(patterns, { cwd: root }).map((path) => statSync(join(root, path)).mtimeMs);
  const built = ["client/dist/forms/forms.js", "client/dist/console/index.html"].flatMap((path) => times(path));
  return built.length === 2 && Math.min(...built) > Math.max(...times(...sources));
}
