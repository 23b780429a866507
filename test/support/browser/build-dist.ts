// Before any browser starts: two test files at once would build the client and unpack the browser on top of each other.
import { execFile } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import packed from "@sparticuz/chromium";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser was unpacked to: on the disk, because programs may not be run from where tests store. */
    readonly packedBrowser: string;
  }
}

const root = join(import.meta.dirname, "../../..");
/** What the builds are made of. Folders as well: one changes with the names in it. */
const sources = ["client/src/**", "shared/src/**", "client/*.{js,json,md,ts}", "package-lock.json"];
const built = ["client/dist/forms/forms.js", "client/dist/forms/packages/*.tgz", "client/dist/console/index.html"];

export async function setup(project: TestProject): Promise<void> {
  // A client that cannot be built fails the tests of its package, and no other.
  await buildDist().catch((error: unknown) => console.error("The client was not built anew:", error));
  if (process.env["CHROMIUM_PATH"] === undefined) project.provide("packedBrowser", await packed.executablePath());
}

/** Builds forms, package and console, unless all are newer than what they are made of: an install builds them. */
export async function buildDist(): Promise<void> {
  const newest = Math.max(...timesOf(sources));
  if (built.every((path) => timesOf([path]).some((time) => time > newest))) return;
  // Vitest says `test` here, and React would be built for development.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)("npm", ["run", "build", "--silent", "-w", "client"], { cwd: root, env });
}

const timesOf = (patterns: string[]): number[] =>
  globSync(patterns, { cwd: root }).map((path) => statSync(join(root, path)).mtimeMs);
