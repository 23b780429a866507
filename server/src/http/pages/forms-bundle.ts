// The forms' script as vite built it: read once at start. The service runs without it too; forms then work without script.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assetOf, isServable, type Asset } from "./asset.ts";

const entryFile = "forms.js";

export interface FormsBundle {
  /** What a page loads; it loads the others itself. */
  readonly script: Asset;
  readonly files: readonly Asset[];
}

/** The bundle in a folder; null when it was not built. */
export function readFormsBundle(folder: string): FormsBundle | null {
  const files = filesOf(folder)
    .filter(isServable)
    .map((name) => assetOf(`/${name}`, readFileSync(join(folder, name))));
  const script = files.find(({ path }) => path === `/${entryFile}`);
  return script === undefined ? null : { script, files };
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
