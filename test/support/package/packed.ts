// The client as others get it: packed by npm, and unpacked into a project outside the repository.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import about from "../../../client/package.json" with { type: "json" };
import { buildDist } from "../browser/build-dist.ts";

export const root = join(import.meta.dirname, "../../..");

export interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Packed extends AsyncDisposable {
  readonly project: string;
  readonly tarball: string;
}

/** The output of a program. Rejects with it when the program fails. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const file = program.includes("/") || program === "npm" ? program : join(root, "node_modules/.bin", program);
  try {
    const { stdout, stderr } = await promisify(execFile)(file, args, { cwd });
    return stdout + stderr;
  } catch (error) {
    // A status other than 0. The message alone names only the command.
    const { message, stdout = "", stderr = "" } = error as Error & { stdout?: string; stderr?: string };
    throw new Error([message, stdout, stderr].join("\n"), { cause: error });
  }
}

/** Builds, packs and installs. */
export async function packAndInstall(): Promise<Packed> {
  await buildDist();
  const project = await mkdtemp(join(tmpdir(), "submissions-package-"));
  await mkdir(join(project, "node_modules/@submissions"), { recursive: true });
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
  await cp(join(import.meta.dirname, "consumer"), project, { recursive: true });
  // What a project of its own would have: Node's types, and React's for the bindings.
  for (const name of ["@types/node", "react", "react-dom", "@types/react", "@types/react-dom", "csstype", "scheduler"])
    await link(project, name);
  const tarball = join(root, `client/dist/forms/packages/client-${about.version}.tgz`);
  await install(project, tarball);
  const dispose = () => rm(project, { recursive: true, force: true });
  return { project, tarball, [Symbol.asyncDispose]: dispose };
}

async function link(folder: string, name: string): Promise<void> {
  const path = join(folder, "node_modules", name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(root, "node_modules", name), path);
}

/** Unpacks the package into the project and links its dependencies. */
async function install(project: string, tarball: string): Promise<void> {
  const installed = join(project, "node_modules/@submissions/client");
  await mkdir(installed);
  await run("/bin/tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"], project);
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as Manifest;
  for (const dependency of Object.keys(manifest.dependencies ?? {})) await link(project, dependency);
}
