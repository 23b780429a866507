// Clients that others generate from the OpenAPI document compile, and upload a resume to the running service.
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../package/packed.ts";
import { startService, type Service } from "../support/service.ts";

const here = import.meta.dirname;
const tool = (name: string) => join(here, "node_modules/.bin", name);
const resume = join(here, "../fixtures/documents/files/format-corpus__lorem-ipsum.pdf");

let service: Service;
let project: string;

beforeAll(async () => {
  service = await startService();
  project = await mkdtemp(join(tmpdir(), "generators-"));
  await cp(join(here, "generated"), project, { recursive: true });
  await symlink(join(here, "node_modules"), join(project, "node_modules"));
  await writeFile(join(project, "openapi.json"), await (await fetch(`${service.url}/openapi.json`)).text());
  const output = { target: "./orval/api.ts", client: "fetch", baseUrl: service.url };
  const orval = JSON.stringify({ api: { input: "./openapi.json", output } });
  await writeFile(join(project, "orval.config.mjs"), `export default ${orval};`);
});
afterAll(async () => {
  await rm(project, { recursive: true });
  await service[Symbol.asyncDispose]();
});

test.each([
  ["openapi-typescript", ["openapi-typescript", "openapi.json", "-o", "openapi-typescript/api.ts"]],
  ["hey-api", ["openapi-ts", "-i", "openapi.json", "-o", "hey-api", "-c", "@hey-api/client-fetch"]],
  ["orval", ["orval", "--config", "orval.config.mjs"]],
])("%s makes a client that uploads", async (name, [program = "", ...args]) => {
  await run(tool(program), args, project);
  const entry = join(project, `${name}.mts`);
  const compilerOptions = {
    target: "es2024",
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    lib: ["es2024", "dom", "dom.iterable"],
    types: ["node"],
    typeRoots: [join(here, "../../node_modules/@types")],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const config = join(project, `tsconfig.${name}.json`);
  await writeFile(config, JSON.stringify({ compilerOptions, files: [entry] }));
  await run("tsc", ["-p", config], project);

  const outfile = join(project, `${name}.mjs`);
  await build({ entryPoints: [entry], outfile, bundle: true, format: "esm", platform: "node", logLevel: "silent" });
  const reference = (await run(process.execPath, [outfile, service.url, resume], project)).trim();
  const sha256 = createHash("sha256")
    .update(await readFile(resume))
    .digest("hex");
  const stored = (await service.stored()).applications.find((one) => one.reference === reference);
  expect(stored).toMatchObject({ name: "Ana Souza", resume: { filename: "ana.pdf", sha256 } });
});
