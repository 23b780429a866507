// Projects of others that install the packed packages from npm's registry with tools of their own: three compilers,
// webpack, and a Next.js app by both of its bundlers in a real browser.
import { type ChildProcess, spawn } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packAndInstall, run, type Packed } from "../package/packed.ts";
import { openBrowser, Visit } from "../support/browser.ts";
import { startService } from "../support/service.ts";
import { freePort } from "../support/free-port.ts";

const consumers = join(import.meta.dirname, "consumers");
const minutes = 60_000;

let packed: Packed;
let project: string;

beforeAll(async () => {
  packed = await packAndInstall();
  project = join(packed.project, "../consumers");
  await cp(consumers, project, { recursive: true });
  await cp(join(import.meta.dirname, "../package/consumer"), project, { recursive: true });
  const { shared, client } = packed.tarballs;
  await run("npm", ["install", "--no-audit", "--no-fund", shared, client], project);
}, 10 * minutes);
afterAll(() => packed[Symbol.asyncDispose]());

const compilers = ["typescript-5", "typescript-6", "typescript"];
const programs = [
  "in-a-page.ts",
  "forms-in-a-page.ts",
  "typed-router.ts",
  "react-page.tsx",
  "tanstack-page.tsx",
  "hook-form-page.tsx",
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

describe("a Next.js app", () => {
  let browser: Browser;
  beforeAll(async () => (browser = await openBrowser()));
  afterAll(() => browser.close());

  test.each([
    ["Turbopack", []],
    ["webpack", ["--webpack"]],
  ])(
    "built by %s renders the forms on its server, hydrates them and sends",
    async (_, flags) => {
      const app = join(project, "next-app");
      await run(process.execPath, [join(project, "node_modules/next/dist/bin/next"), "build", ...flags], app);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      await using service = await startService({ env: { CORS_ORIGINS: url } });
      await using _server = await startNext(app, port, service.url);
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
    },
    10 * minutes,
  );
});

/** Starts the built app and waits until it answers. */
async function startNext(app: string, port: number, serviceUrl: string): Promise<AsyncDisposable> {
  const next = join(project, "node_modules/next/dist/bin/next");
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
