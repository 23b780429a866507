// The client as others get it: packed by npm, and unpacked into a project outside the repository.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import about from "../../../client/package.json" with { type: "json" };

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
  const folder = await mkdtemp(join(tmpdir(), "submissions-package-"));
  // Side by side, so that the installed packages do not find the tools of the build.
  const workshop = join(folder, "workshop");
  const project = join(folder, "project");
  await mkdir(join(project, "node_modules/@submissions"), { recursive: true });
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
  await cp(join(import.meta.dirname, "consumer"), project, { recursive: true });
  // What a project of its own would have: Node's types, and React's for the bindings.
  for (const name of ["@types/node", "react", "react-dom", "@types/react", "@types/react-dom", "csstype", "scheduler"])
    await link(project, name);
  await openWorkshop(workshop);
  const shared = await copy(workshop, "shared");
  await symlink(shared, join(workshop, "node_modules/@submissions/shared"));
  const tarball = await pack(workshop);
  await install(project, tarball);
  const dispose = () => rm(folder, { recursive: true, force: true });
  return { project, tarball, [Symbol.asyncDispose]: dispose };
}

/** Gives the copies what they are built with: the compiler's settings and all packages of the repository but its own. */
async function openWorkshop(workshop: string): Promise<void> {
  await mkdir(join(workshop, "node_modules/@submissions"), { recursive: true });
  await cp(join(root, "tsconfig.json"), join(workshop, "tsconfig.json"));
  const names = (await readdir(join(root, "node_modules"))).filter((name) => name !== "@submissions");
  await Promise.all(names.map((name) => link(workshop, name)));
}

async function link(folder: string, name: string): Promise<void> {
  const path = join(folder, "node_modules", name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(root, "node_modules", name), path);
}

async function copy(workshop: string, name: string): Promise<string> {
  const copied = (path: string) => !["dist", "node_modules", ".turbo"].includes(basename(path));
  await cp(join(root, name), join(workshop, name), { recursive: true, filter: copied });
  return join(workshop, name);
}

async function pack(workshop: string): Promise<string> {
  const args = ["pack", "--silent", "--ignore-scripts=false", "--pack-destination", workshop];
  await run("npm", args, await copy(workshop, "client"));
  return join(workshop, `submissions-client-${about.version}.tgz`);
}

/** Unpacks the package into the project and links its dependencies. */
async function install(project: string, tarball: string): Promise<void> {
  const installed = join(project, "node_modules/@submissions/client");
  await mkdir(installed);
  await run("/bin/tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"], project);
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as Manifest;
  for (const dependency of Object.keys(manifest.dependencies ?? {})) await link(project, dependency);
}
