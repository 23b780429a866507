// The packed tarballs, in a project outside the repository, are linted, compiled against, bundled and run.
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { FieldTable } from "@submissions/shared/field-table";
import { kinds } from "@submissions/shared/kinds";
import { subscriptionFields } from "@submissions/shared/subscription-fields";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { atNight, manyOrFew } from "../../support/many-or-few.ts";
import { startService } from "../../support/service.ts";
import { bundle, bundlers } from "../../support/package/bundlers.ts";
import { documentedExports, examples } from "../../support/package/examples.ts";
import { packAndInstall, root, run, type Manifest, type Packed } from "../../support/package/packed.ts";

/** What the client adds to a page, minified and gzipped. docs/client.md promises it. */
const clientGzipBytesMax = 9_200;

let packed: Packed;
beforeAll(async () => (packed = await packAndInstall()));
afterAll(() => packed[Symbol.asyncDispose]());

interface SourceMap {
  readonly mappings: string;
  readonly sourcesContent?: readonly (string | null)[];
}

const installed = (path: string) => join(packed.project, "node_modules/@submissions", path);

/** Compiles files of the project. Rejects with the messages of the compiler. */
async function compile(name: string, include: readonly string[], options: object): Promise<string> {
  const compilerOptions = {
    target: "es2024",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    // Checks the packages' types, and not the compiler's own.
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
    ...options,
  };
  const config = join(packed.project, `tsconfig.${name}.json`);
  await writeFile(config, JSON.stringify({ compilerOptions, include }));
  return run("tsc", ["-p", config, "--singleThreaded"], packed.project);
}

const page = { module: "esnext", moduleResolution: "bundler", lib: ["es2024", "dom", "dom.iterable"], types: [] };
const react = { ...page, jsx: "react-jsx" };
const node = { module: "nodenext", moduleResolution: "nodenext", types: ["node"] };

/** The modules of other packages that an installed file imports, directly or through others. */
async function importsBehind(path: string): Promise<string[]> {
  const seen = new Set<string>();
  const foreign = new Set<string>();
  const look = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const specifier of importsIn(await readFile(file, "utf8"))) {
      // Declarations name sources, which lie elsewhere.
      if (specifier.startsWith(".")) await look(join(file, "..", specifier.replace(/(?<!\.d)\.ts$/, ".d.ts")));
      else foreign.add(specifier);
    }
  };
  await look(installed(path));
  return [...foreign].toSorted();
}

const importsIn = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\s[^;=(]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(
    ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? "",
  );

describe("the tarball", () => {
  test("holds licence, words and source maps with their sources, and no tests", async () => {
    const files = await readdir(installed("client"), { recursive: true });
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    expect(files.filter((file) => /\.test\.|tsconfig/.test(file))).toEqual([]);
    const maps = files.filter((file) => file.endsWith(".map"));
    expect(maps.length).toBeGreaterThan(0);
    for (const map of maps) {
      const { mappings, sourcesContent = [] } = JSON.parse(
        await readFile(installed(`client/${map}`), "utf8"),
      ) as SourceMap;
      // The words of a language are data, and no line of them is one of a source.
      if (mappings === "") continue;
      expect(sourcesContent, map).not.toEqual([]);
      expect(sourcesContent, map).not.toContain(null);
    }
    const built = files.filter((file) => /^dist\/.*\.js$/.test(file)).map((file) => `${file}.map`);
    const small = ["dist/react/use-submission.js.map", "dist/react/no-server-markup.js.map"];
    expect(built.filter((map) => !files.includes(map) && !small.includes(map))).toEqual([]);
  });

  test("names no other package of ours, which a registry of others could answer for", async () => {
    const files = await readdir(installed("client"), { recursive: true });
    for (const file of files.filter((one) => /\.(?:js|ts|json)$/.test(one))) {
      const text = await readFile(installed(`client/${file}`), "utf8");
      const names = file === "package.json" ? text.replace(/"devDependencies": \{[^}]*\}/, "") : text;
      expect(names, file).not.toMatch(/["']@submissions\/(?!client\b|source")/);
    }
  });

  test("has a README whose links lead out of the repository or to what is packed", async () => {
    const files = await readdir(installed("client"), { recursive: true });
    const links = (await readFile(installed("client/README.md"), "utf8")).matchAll(/\]\((?!https:)([^)]+)\)/g);
    expect([...links].filter(([, link = ""]) => !files.includes(link))).toEqual([]);
  });
});

describe("a project that installs it", () => {
  const inAPage = ["in-a-page.ts", "forms-in-a-page.ts", "react-page.tsx"];
  const projects: readonly (readonly [what: string, programs: readonly string[], options: object])[] = [
    ["client, forms and React components in a page, by a bundler's rules", inAPage, react],
    // @trpc/server's own declarations need Node's types.
    ["router's type in a page, without others' declarations", ["typed-router.ts"], { ...page, skipLibCheck: true }],
    ["router's type in Node, without others' declarations", ["typed-router.ts"], { ...node, skipLibCheck: true }],
    ["client in Node, without the types of a page", ["in-node.ts"], { ...node, lib: ["es2024"] }],
  ];
  test.each(atNight ? projects : projects.slice(0, 1))("compiles the %s", async (name, programs, options) => {
    await compile(name.replace(/\W+/g, "-"), programs, options);
  });

  test("sends one of each to the service from Node, and writes nothing to standard error", async () => {
    await using service = await startService();
    const resume = join(root, "test/fixtures/documents/files/format-corpus__lorem-ipsum.pdf");
    const output = await run(process.execPath, ["in-node.ts", service.url, resume], packed.project);
    const { inquiries, applications, subscribers } = await service.stored();
    expect(JSON.parse(output)).toEqual({
      inquiryId: inquiries[0]?.reference,
      message: expect.any(String),
      applicationId: applications[0]?.reference,
      refused: "BAD_REQUEST",
      issue: { path: ["email"], message: expect.any(String) },
    });
    expect([inquiries.length, applications.length, subscribers.length]).toEqual([1, 1, 1]);
  });

  test("gets no types of the server's or of tRPC's, and no code but the client's own and tRPC's client", async () => {
    const manifest = JSON.parse(await readFile(installed("client/package.json"), "utf8")) as Manifest;
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([
      "@trpc/client",
      "@trpc/server",
      "standardwebhooks",
      "zod",
      "zod-form-data",
    ]);
    // A project that has tRPC 11 already keeps one copy of it. One without React, or with an older one, installs it too.
    expect(manifest.dependencies).toMatchObject({ "@trpc/client": "^11.4.0", "@trpc/server": "^11.4.0" });
    expect(manifest.peerDependencies).toBeUndefined();
    const code = await importsBehind("client/dist/sdk/create-submissions-client.js");
    expect(code).toEqual(["@trpc/client"]);
    const types = await importsBehind("client/dist/sdk/create-submissions-client.d.ts");
    // The types of the schemas are zod's.
    expect(types).toEqual(["zod", "zod-form-data"]);
    // No other file of the folder has any. Nor does one name a type that only pages have.
    for (const file of await readdir(installed("client/dist/sdk"))) {
      const text = await readFile(installed(`client/dist/sdk/${file}`), "utf8");
      expect(text).not.toMatch(/from "@submissions\/server/);
      if (file.endsWith(".d.ts")) expect(text).not.toMatch(/\b(?:HTML\w*Element|FileList|Document|Window)\b/);
    }
  });

  test.each([
    ["inquiry", kinds.inquiry.fields],
    ["application", kinds.application.fields],
    ["subscription", subscriptionFields],
  ])(
    "is told of each field of an %s what the table says, where an editor shows it",
    async (name, table: FieldTable) => {
      const types = await readFile(installed(`client/dist/shared/${name}.d.ts`), "utf8");
      const shown = new Map(
        [...types.matchAll(/\/\*\* (.*) \*\/\s*readonly (\w+)\??:/g)].map(([, text, field]) => [field, text]),
      );
      for (const [field, { description, rule, kind }] of Object.entries(table)) {
        expect(shown.get(field), field).toContain(description);
        if (rule && kind !== "packages")
          expect(shown.get(field)).toContain(`At most ${rule.lengthMax.toLocaleString("en")} characters.`);
      }
    },
  );

  test("gets a router type that leads to nothing of the server", async () => {
    expect(await importsBehind("client/dist/router.d.ts")).toEqual(["@trpc/server", "zod", "zod-form-data"]);
  });

  test("renders React components on a server, with the form in a declarative shadow root", async () => {
    const program = `import { createElement } from "react"; import { renderToString } from "react-dom/server";
      import { InquiryForm } from "@submissions/client/react";
      console.log(renderToString(createElement(InquiryForm, { endpoint: "https://s.example/", packages: ["de-AT"] })));`;
    const markup = await run(process.execPath, ["--input-type=module", "-e", program], packed.project);
    expect(markup).toMatch(/^<inquiry-form endpoint="https:\/\/s\.example\/"><template shadowrootmode="open"/);
    expect(markup).toContain('href="https://s.example/forms.css"');
    expect(markup).toContain('action="https://s.example/api/marketplace/inquiry"');
    expect(markup).toContain('value="de-AT"');
  });

  test("gets forms without tRPC, and may import them where there are no elements", async () => {
    expect(await importsBehind("client/dist/forms/forms.d.ts")).toEqual(["zod", "zod-form-data"]);
    const folder = installed("client/dist/elements");
    const scripts = (await readdir(folder)).filter((file) => file.endsWith(".js"));
    expect(scripts).toContain("forms.js");
    for (const file of scripts)
      expect(await readFile(join(folder, file), "utf8")).not.toMatch(/TRPC|import\.meta|from ?"[^.]/);
    const program = 'import { InquiryForm } from "@submissions/client/forms"; console.log(typeof InquiryForm);';
    expect(await run(process.execPath, ["--input-type=module", "-e", program], packed.project)).toBe("function\n");
  });
});

describe("a bundle", () => {
  test(`with the client grows by no more than ${clientGzipBytesMax} bytes`, async () => {
    const program = 'export { createSubmissionsClient, SubmissionError } from "@submissions/client";';
    const code = await bundle(packed.project, program);
    const bytes = gzipSync(code, { level: 9 }).length;
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(clientGzipBytesMax);
    for (const file of ["docs/client.md", "client/README.md"])
      expect(await readFile(join(root, file), "utf8")).toContain(`under ${clientGzipBytesMax / 1_000} KB`);
  });

  test("keeps only what is used of it", async () => {
    expect((await bundle(packed.project, 'import "@submissions/client";')).trim()).toBe("");
    const error = await bundle(packed.project, 'export { SubmissionError } from "@submissions/client";');
    expect(error).toContain("mayHaveArrived");
    expect(error).not.toMatch(/fetch|XMLHttpRequest/);
  });
});

describe.each(bundlers.slice(0, manyOrFew(2)))("%s", (_, bundler) => {
  test("bundles the forms, with another language and the solver apart", async () => {
    const [entry, ...chunks] = await bundler(packed.project, "forms-in-a-page.ts");
    expect(entry?.code).toContain("inquiry-form");
    expect(entry?.code).not.toContain("Ihr Aktenzeichen");
    expect(chunks.filter(({ code }) => code.includes("Ihr Aktenzeichen"))).toHaveLength(1);
    expect(chunks.filter(({ code }) => code.includes("PBKDF2"))).toHaveLength(1);
    // No bundle names the machine that made it.
    for (const { code } of [entry!, ...chunks]) expect(code).not.toMatch(/file:\/\/|\/tmp\//);
  });

  test("bundles the React components without the markup for servers", async () => {
    const code = (await bundler(packed.project, "react-page.tsx")).map((file) => file.code).join("");
    expect(code).toContain("submission-accepted");
    expect(code).not.toContain("shadowrootmode");
  });
});

describe("the examples", () => {
  test("of the documents and the comments compile", async () => {
    const folder = join(packed.project, "examples");
    await mkdir(folder);
    await cp(join(import.meta.dirname, "../../support/package/scene.ts"), join(folder, "scene.ts"));
    const all = examples();
    for (const { place, code } of all) {
      const file = `${place.replace(/[/:]/g, "__")}.ts`;
      await writeFile(join(folder, file), `${code}export {};\n`);
    }
    expect(all.length).toBeGreaterThan(25);
    await compile("examples", ["examples/*.ts"], { ...page, types: ["node"], skipLibCheck: true });
  });

  test("are there for every export, beside what it is", () => {
    const exported = documentedExports();
    expect(exported.length).toBeGreaterThan(15);
    expect(exported.filter(({ text }) => text === "").map(({ name }) => name)).toEqual([]);
    const without = exported.filter(({ file, text }) => file.startsWith("client/") && !text.includes("```ts"));
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});
