// Projects of others that install the packed packages: three compilers, webpack, and a Next.js app in a real browser.
import { type ChildProcess, spawn } from "node:child_process";
import { cp, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packAndInstall, run, type Manifest, type Packed } from "../support/package/packed.ts";
import { sentTo, snippetsOf } from "../support/browser/front-end.ts";
import { pdfOf } from "../support/browser/people.ts";
import { openBrowser, Visit } from "../support/browser.ts";
import { openFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";
import { freePort } from "../support/free-port.ts";

const consumers = join(import.meta.dirname, "consumers");
const minutes = 60_000;
const ofNext15 = { next: "15.5.29", typescript: "6.0.3" };
/** More than Next.js takes unless told. */
const resume = pdfOf(2_000_000);

let packed: Packed;
let own: AsyncDisposable & { readonly path: string };
let project: string;
let servicePort: number;

beforeAll(async () => {
  packed = await packAndInstall();
  own = await openFolder();
  project = own.path;
  await cp(consumers, project, { recursive: true });
  await cp(join(import.meta.dirname, "../support/package/consumer"), project, { recursive: true });
  servicePort = await freePort();
  for (const heading of ["React Hook Form", "A server action of Next.js"]) {
    for (const code of await snippetsOf(heading)) {
      const file = join(project, "next-app", /^\/\/ (app\/.*)/.exec(code)?.[1] ?? "");
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, sentTo(`http://127.0.0.1:${servicePort}`, code));
    }
  }
  await run("npm", ["install", "--no-audit", "--no-fund", packed.tarball], project);
}, 10 * minutes);
afterAll(async () => {
  await packed[Symbol.asyncDispose]();
  await own[Symbol.asyncDispose]();
});

test("keeps the one copy of tRPC that the project has", async () => {
  const { dependencies } = JSON.parse(await readFile(join(project, "package.json"), "utf8")) as Manifest;
  for (const name of ["@trpc/client", "@trpc/server"]) {
    const copies = await Array.fromAsync(glob(`**/node_modules/${name}/package.json`, { cwd: project }));
    expect(copies).toEqual([`node_modules/${name}/package.json`]);
    const { version } = JSON.parse(await readFile(join(project, copies[0]!), "utf8")) as { version: string };
    expect(version).toBe(dependencies?.[name]);
  }
});

const compilers = ["typescript-5", "typescript-6", "typescript"];
const programs = [
  "in-a-page.ts",
  "forms-in-a-page.ts",
  "typed-router.ts",
  "react-page.tsx",
  "tanstack-page.tsx",
  "hook-form-page.tsx",
  "next-app/app/hook-form/page.tsx",
  "next-app/app/apply/actions.ts",
];

describe.each(compilers)("%s", (compiler) => {
  test.each([
    ["bundler", ["ES2022", "DOM"]],
    ["nodenext", ["ES2022", "DOM", "DOM.Iterable"]],
  ])(
    "compiles every program by the rules of %s with %j",
    async (moduleResolution, lib) => {
      const config = join(project, `tsconfig.${compiler}.${moduleResolution}.json`);
      const compilerOptions = {
        target: "es2022",
        module: moduleResolution === "bundler" ? "esnext" : "nodenext",
        moduleResolution,
        lib,
        jsx: "react-jsx",
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
        noEmit: true,
      };
      await writeFile(config, JSON.stringify({ compilerOptions, files: programs }));
      await run(process.execPath, [join(project, "node_modules", compiler, "bin/tsc"), "-p", config], project);
    },
    5 * minutes,
  );
});

test(
  "the elements have their types in JSX beside React 18, too",
  async () => {
    const folder = join(project, "react-18");
    await run("npm", ["install", "--no-audit", "--no-fund", packed.tarball], folder);
    const how = ["--module", "nodenext", "--jsx", "react-jsx", "--skipLibCheck", "--strict", "--noEmit"];
    for (const compiler of compilers)
      await run(process.execPath, [join(project, "node_modules", compiler, "bin/tsc"), ...how, "elements.tsx"], folder);
  },
  5 * minutes,
);

test(
  "webpack bundles the forms and the React components, and names no folder of the machine",
  async () => {
    await writeFile(
      join(project, "webpack-entry.js"),
      'import "@submissions/client/forms"; export * from "@submissions/client/react"; export * from "@submissions/client";',
    );
    const program = `import webpack from "webpack";
      const config = { mode: "production", context: process.cwd(), entry: "./webpack-entry.js", output: { path: process.cwd() + "/webpacked" } };
      webpack(config, (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1); } });`;
    await run(process.execPath, ["--input-type=module", "-e", program], project);
    const bundle = await readFile(join(project, "webpacked/main.js"), "utf8");
    expect(bundle).toContain("inquiry-form");
    expect(bundle).not.toMatch(/file:\/\/|shadowrootmode/);
    expect(bundle).not.toContain(project);
  },
  5 * minutes,
);

let browser: Browser;

describe("a Next.js app", () => {
  beforeAll(async () => (browser = await openBrowser()));
  afterAll(() => browser.close());

  test.each([
    ["16", "Turbopack", []],
    ["16", "webpack", ["--webpack"]],
    ["15", "webpack", []],
  ])(
    "of Next.js %s, built by %s, renders the forms on its server, hydrates them and sends",
    async (major, _, flags) => {
      const app = join(project, major === "16" ? "next-app" : "next-15-app");
      if (major === "15") {
        await cp(join(project, "next-app"), app, { recursive: true, filter: (path) => !path.includes("/.next") });
        await writeFile(join(app, "package.json"), JSON.stringify({ private: true, dependencies: ofNext15 }));
        // React is that of the folder above.
        await run("npm", ["install", "--no-audit", "--no-fund", "--legacy-peer-deps"], app);
      }
      const next = join(major === "16" ? project : app, "node_modules/next/dist/bin/next");
      await run(process.execPath, [next, "build", ...flags], app);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      await using service = await startService({ env: { CORS_ORIGINS: url } });
      await using _server = await startNext(next, app, port, service.url);
      {
        await using unscripted = await Visit.begin(browser, { javaScriptEnabled: false });
        await unscripted.page.goto(url);
        const boxes = unscripted.page.locator("inquiry-form").getByRole("checkbox");
        expect(await boxes.evaluateAll((all) => all.length)).toBe(2);
      }
      await using visit = await Visit.begin(browser);
      await visit.page.goto(url);
      const form = visit.page.locator("inquiry-form");
      await form.getByRole("checkbox", { name: "Scottish English" }).check();
      await form.getByLabel("Your name").fill("Ann Buyer");
      await form.getByLabel("E-mail address").fill("next@example.org");
      await form.getByRole("button", { name: "Send inquiry" }).click();
      await visit.page.getByLabel("Said").getByText("INQ-").waitFor();
      const [stored] = (await service.stored()).inquiries;
      expect(stored).toMatchObject({ company: "Vozes", selectedPackageIds: ["en-GB-scottish"] });
      await visit.page.locator("newsletter-form").getByRole("button", { name: "Abonnieren" }).waitFor();
      await service.stop();
      await sendsApplications(url);
    },
    10 * minutes,
  );
});

/** The documented form with React Hook Form, and that with a server action, with and without script: first refused. */
async function sendsApplications(url: string): Promise<void> {
  await using service = await startService({ env: { PORT: `${servicePort}`, CORS_ORIGINS: url } });
  const applications = async () => (await service.stored()).applications;
  for (const [path, javaScriptEnabled] of [
    ["hook-form", true],
    ["apply", true],
    ["apply", false],
  ] as const) {
    for (const file of [null, resume]) {
      const before = (await applications()).length;
      await using visit = await Visit.begin(browser, { javaScriptEnabled });
      const { page } = visit;
      // Of the server action the page's server hears.
      if (path === "hook-form") visit.expectProblems(/status of 400 .*applications\.submit/);
      await page.goto(`${url}/${path}`, { waitUntil: "networkidle" });
      await page.getByPlaceholder("Name").fill("Ana Souza");
      await page.getByPlaceholder("E-mail").fill("ana at example");
      await page.getByPlaceholder("Position").fill("Annotator");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByText("Enter one e-mail address").waitFor();
      const typed = ["Name", "E-mail", "Position"].map((label) => page.getByPlaceholder(label).inputValue());
      expect(await Promise.all(typed)).toEqual(["Ana Souza", "ana at example", "Annotator"]);
      expect(await applications()).toHaveLength(before);
      await page.getByPlaceholder("E-mail").fill("ana@example.org");
      if (file !== null) await page.locator("input[type=file]").setInputFiles(file);
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByRole("status").getByText("APP-").waitFor();
      const stored = (await applications()).slice(before);
      expect(stored).toMatchObject([{ name: "Ana Souza", resume: file && { filename: file.name } }]);
      expect(await page.getByRole("status").innerText()).toBe(stored[0]?.reference);
    }
  }
}

async function startNext(next: string, app: string, port: number, serviceUrl: string): Promise<AsyncDisposable> {
  const server: ChildProcess = spawn(process.execPath, [next, "start", "-p", `${port}`, "-H", "127.0.0.1"], {
    cwd: app,
    env: { ...process.env, SUBMISSIONS_URL: serviceUrl, NEXT_TELEMETRY_DISABLED: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    server.stdout!.on("data", (chunk: Buffer) => chunk.includes("Ready in") && resolve());
    server.once("exit", (code) => reject(new Error(`Next.js ended with ${code}.`)));
  });
  return {
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill();
      await ended;
    },
  };
}
