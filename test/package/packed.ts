// The packages as others get them: packed by npm from copies of their folders, so that nobody's build is disturbed, and
// unpacked into a project outside the repository that has what their manifests ask for and nothing else.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

export const root = join(import.meta.dirname, "../..");

export interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface Packed extends AsyncDisposable {
  /** A project that has both packages installed. */
  readonly project: string;
  readonly tarballs: { readonly shared: string; readonly client: string };
}

/** What a program writes; rejects with all of it when the program fails. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const file = program.includes("/") || program === "npm" ? program : join(root, "node_modules/.bin", program);
  try {
    const { stdout, stderr } = await promisify(execFile)(file, args, { cwd });
    return stdout + stderr;
  } catch (error) {
    // A status other than 0; the message alone names the command only.
    const { message, stdout = "", stderr = "" } = error as Error & { stdout?: string; stderr?: string };
    throw new Error([message, stdout, stderr].join("\n"), { cause: error });
  }
}

/** Builds, packs and installs. The client is built against the packed types of shared, not against the repository's. */
export async function packAndInstall(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), "submissions-package-"));
  const project = join(folder, "project");
  const modules = join(project, "node_modules");
  await mkdir(join(modules, "@submissions"), { recursive: true });
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
  await cp(join(import.meta.dirname, "consumer"), project, { recursive: true });
  await buildTools(folder, modules);
  const tarballs = { shared: await pack(folder, "shared", modules), client: await pack(folder, "client", modules) };
  for (const name of ["@types/node", ...(await dependenciesOf(modules))]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, "node_modules", name), join(modules, name));
  }
  return { project, tarballs, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** What builds of the copies find above them: the compiler's settings, and every package of the repository but its own. */
async function buildTools(folder: string, modules: string): Promise<void> {
  await cp(join(root, "tsconfig.json"), join(folder, "tsconfig.json"));
  await mkdir(join(folder, "node_modules"));
  const names = (await readdir(join(root, "node_modules"))).filter((name) => name !== "@submissions");
  await Promise.all(names.map((name) => symlink(join(root, "node_modules", name), join(folder, "node_modules", name))));
  await symlink(join(modules, "@submissions"), join(folder, "node_modules/@submissions"));
}

/** Packs a package and unpacks it among the project's. Returns the tarball's path. */
async function pack(folder: string, name: "shared" | "client", modules: string): Promise<string> {
  const copied = (path: string) => !["dist", "node_modules", ".turbo"].includes(basename(path));
  await cp(join(root, name), join(folder, name), { recursive: true, filter: copied });
  await run("npm", ["pack", "--silent", "--ignore-scripts=false", "--pack-destination", folder], join(folder, name));
  const tarball = join(folder, `submissions-${name}-0.1.0.tgz`);
  const installed = join(modules, "@submissions", name);
  await mkdir(installed);
  await run("/bin/tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"], folder);
  return tarball;
}

/** Names of all packages that the installed two ask for, themselves left out. */
async function dependenciesOf(modules: string): Promise<string[]> {
  const manifests = ["shared", "client"].map(async (name) => {
    const text = await readFile(join(modules, "@submissions", name, "package.json"), "utf8");
    return Object.keys((JSON.parse(text) as Manifest).dependencies ?? {});
  });
  return (await Promise.all(manifests)).flat().filter((name) => !name.startsWith("@submissions/"));
}
