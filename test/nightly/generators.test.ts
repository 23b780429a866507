// Clients that others generate from the OpenAPI document compile, and upload a resume to the running service.
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sentTo, snippetsOf } from "../support/browser/front-end.ts";
import type { Document } from "../support/deploy/read-deploy.ts";
import { run } from "../support/package/packed.ts";
import { inquire, operator, scriptOf } from "../support/console/operator.ts";
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
  const input = "./openapi.json";
  const output = { target: "./orval/api.ts", client: "fetch", baseUrl: service.url };
  const orval = { api: { input, output }, zod: { input, output: { target: "./orval-zod/api.ts", client: "zod" } } };
  await writeFile(join(project, "orval.config.mjs"), `export default ${JSON.stringify(orval)};`);
  // The other generator of zod's schemas wants the version before.
  await mkdir(join(project, "orval-zod/node_modules"), { recursive: true });
  await symlink(join(here, "../../node_modules/zod"), join(project, "orval-zod/node_modules/zod"));
  const [makeTypes = ""] = await snippetsOf("The document", "api.md");
  await writeFile(join(project, "make-types.mjs"), sentTo(service.url, makeTypes));
  const [withTypes = ""] = await snippetsOf("openapi-fetch");
  const scene = 'import { resume, say } from "./applicant.mts";\n';
  const program = `${scene}${sentTo(service.url, withTypes)}say(data?.applicationId, error);\n`;
  await writeFile(join(project, "openapi-typescript.mts"), program);
});
afterAll(async () => {
  await rm(project, { recursive: true });
  await service[Symbol.asyncDispose]();
});

async function compile(name: string, entry: string): Promise<void> {
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
}

test.each([
  ["openapi-typescript", [process.execPath, "make-types.mjs"]],
  ["hey-api", ["openapi-ts", "-i", "openapi.json", "-o", "hey-api", "-c", "@hey-api/client-fetch"]],
  ["orval", ["orval", "--config", "orval.config.mjs", "--project", "api"]],
  ["orval-zod", ["orval", "--config", "orval.config.mjs", "--project", "zod"]],
  ["openapi-zod-client", ["openapi-zod-client", "openapi.json", "-o", "openapi-zod-client-api.ts"]],
])("%s makes a client that uploads", async (name, [program = "", ...args]) => {
  await run(program.includes("/") ? program : tool(program), args, project);
  const entry = join(project, `${name}.mts`);
  await compile(name, entry);

  const outfile = join(project, `${name}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    // It requires modules of Node, which a bundle cannot.
    external: ["@zodios/core"],
    logLevel: "silent",
  });
  const reference = (await run(process.execPath, [outfile, service.url, resume], project)).trim();
  const sha256 = createHash("sha256")
    .update(await readFile(resume))
    .digest("hex");
  const stored = (await service.stored()).applications.find((one) => one.reference === reference);
  expect(stored).toMatchObject({ name: "Ana Souza", resume: { sha256 } });
});

test("Postman's collection has an application that is sent when its fields are filled in", async () => {
  await run(tool("openapi2postmanv2"), ["-s", "openapi.json", "-o", "collection.json"], project);
  const collection: Document = JSON.parse(await readFile(join(project, "collection.json"), "utf8"));
  const { body, url } = requestsIn(collection).find((one) => one.url.path.join("/") === "api/applications/submit");
  const values: Record<string, string> = { fullName: "Ana Postman", email: "ana@example.org", position: "Annotator" };
  const form = new FormData();
  for (const { key, type, contentType } of body.formdata) {
    if (type === "file") form.append(key, new File([await readFile(resume)], "ana.pdf", { type: contentType ?? "" }));
    else if (values[key] !== undefined) form.append(key, values[key]);
  }
  const response = await fetch(`${service.url}/${url.path.join("/")}`, { method: "POST", body: form });
  expect(response.status).toBe(200);
  const stored = (await service.stored()).applications.find(({ name }) => name === values["fullName"]);
  expect(stored).toMatchObject({ resume: { filename: "ana.pdf" } });
});

const requestsIn = ({ item }: Document): Document[] =>
  item.flatMap((one: Document) => ("request" in one ? [one.request] : requestsIn(one)));

test("openapi-typescript makes types of what tokens may read, by which a script lists and exports", async () => {
  const script = await scriptOf(await operator(service, "admin@example.org", "admin"), "admin");
  await writeFile(join(project, "console.json"), await (await fetch(`${service.url}/console/openapi.json`)).text());
  await run(tool("openapi-typescript"), ["console.json", "-o", "console-api.ts"], project);
  const entry = join(project, "console.mts");
  await compile("console", entry);
  const reference = await inquire(service, "console@example.org");
  const printed = await run(process.execPath, [entry, service.url, script.headers["authorization"]!], project);
  expect(printed.trim().split("\n")).toEqual([`${reference} new`, reference]);
});
