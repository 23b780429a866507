// Puts a program that uses the packed packages together as a page would load it.
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";

/** The code of a bundle by file name; the first file is the entry. */
export type Bundle = readonly { readonly name: string; readonly code: string }[];

export type Bundler = (project: string, entry: string) => Promise<Bundle>;

const byVite: Bundler = async (project, entry) => {
  const output = await vite({
    root: project,
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      target: "es2022",
      rolldownOptions: { input: join(project, entry), preserveEntrySignatures: "strict", output: { format: "es" } },
    },
  });
  return [output]
    .flat()
    .flatMap((one) => ("output" in one ? one.output : []))
    .flatMap((file) => ("code" in file ? [{ name: file.fileName, code: file.code }] : []));
};

const byEsbuild: Bundler = async (project, entry) => {
  const { outputFiles } = await esbuild({
    absWorkingDir: project,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    write: false,
    outdir: "out",
    logLevel: "silent",
  });
  return outputFiles
    .map(({ path, text }) => ({ name: basename(path), code: text }))
    .toSorted((a) => (a.name === entry.replace(/\.tsx?$/, ".js") ? -1 : 1));
};

/** The bundlers that come with the repository. test/nightly/consumers tries Turbopack and webpack. */
export const bundlers: readonly (readonly [string, Bundler])[] = [
  ["Vite", byVite],
  ["esbuild", byEsbuild],
];

export async function bundle(project: string, program: string): Promise<string> {
  await writeFile(join(project, "entry.js"), program);
  return (await byVite(project, "entry.js")).map(({ code }) => code).join("");
}
