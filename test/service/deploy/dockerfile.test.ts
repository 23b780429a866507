// The image can be built only where there is a Docker daemon; what makes it small, pinned and without root is in its text.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { read, root, type Document } from "../../support/deploy/read-deploy.ts";

const instructions = read("deploy/Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n/g, "")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => ({ name: /^[A-Z]+/.exec(line)?.[0] ?? line, text: line.replace(/^[A-Z]+ +/, "") }));

const all = (name: string) => instructions.filter((one) => one.name === name).map(({ text }) => text);
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
const inLastStage = (name: string) => lastStage.filter((one) => one.name === name).map(({ text }) => text);
const copies = all("COPY").map((text) => text.split(/ +/));

/** What an exec form holds; throws on the shell form. */
const words = (text: string) => JSON.parse(text) as string[];

const packageOf = (path: string): Document => JSON.parse(read(path));

test("bases are named with their full versions", () => {
  const images = all("ARG").map((text) => text.split("=")[1]);
  expect(images).toHaveLength(2);
  for (const image of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+[\w.-]*$/);
  expect(all("FROM").every((text) => /^\$\{\w+_IMAGE\}/.test(text))).toBe(true);
});

test("nothing is fetched but through npm and Debian's packages", () => {
  expect(all("ADD")).toEqual([]);
  for (const text of all("RUN")) expect(text).not.toMatch(/curl|wget|https?:/);
});

test("what it copies exists, and is let into the build", () => {
  const ignore = read("deploy/Dockerfile.dockerignore").split("\n");
  const admitted = ignore.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  expect(ignore).toContain("*");
  const sources = copies.filter(([first]) => !first?.startsWith("--from")).flatMap((paths) => paths.slice(0, -1));
  expect(sources.length).toBeGreaterThan(5);
  for (const source of sources) {
    expect(existsSync(`${root}/${source}`), source).toBe(true);
    expect(
      admitted.some((path) => source === path || source.startsWith(`${path}/`)),
      source,
    ).toBe(true);
  }
});

test("npm finds every workspace of the lockfile, and the service every workspace that it imports", () => {
  const sources = copies.flatMap((paths) => paths.slice(0, -1));
  for (const workspace of packageOf("package.json").workspaces) {
    expect(sources).toContain(`${workspace}/package.json`);
  }
  const imported = Object.keys(packageOf("server/package.json").dependencies)
    .filter((name) => name.startsWith("@submissions/"))
    .map((name) => name.slice("@submissions/".length));
  for (const workspace of ["server", ...imported]) expect(sources).toContain(`${workspace}/src`);
});

test("what S3 needs is there, as the tests run with it", () => {
  const { dependencies, devDependencies } = packageOf("server/package.json");
  const known = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
    name.startsWith("@aws-sdk/"),
  );
  const named = all("RUN").flatMap((text) => [...text.matchAll(/(@aws-sdk\/[\w-]+)@(\S+)/g)]);
  expect(known.length).toBeGreaterThan(0);
  expect(named.map(([, name, version]) => [name, version])).toEqual(known);
});

test("the service runs without root, and only /data is its own", () => {
  expect(inLastStage("USER")).toEqual([expect.stringMatching(/^[1-9]\d{3,}:[1-9]\d{3,}$/)]);
  const afterUser = lastStage.slice(lastStage.findIndex(({ name }) => name === "USER"));
  expect(afterUser.map(({ name }) => name)).not.toContain("RUN");
  expect(inLastStage("VOLUME").map(words)).toEqual([["/data"]]);
  for (const text of all("COPY")) expect(text).not.toContain("--chown");
});

test("Node is process 1 and is asked for its health without a shell", () => {
  expect(words(inLastStage("ENTRYPOINT")[0] ?? "")[0]).toBe("node");
  const [file = ""] = words(inLastStage("CMD")[0] ?? "");
  expect(existsSync(`${root}/${file}`)).toBe(true);
  const [health = ""] = inLastStage("HEALTHCHECK");
  expect(words(health.slice(health.indexOf("[")))[0]).toBe("node");
  expect(inLastStage("STOPSIGNAL")).toEqual(["SIGTERM"]);
});

test("the service runs with the options and the modules of `npm start`, and the console and the forms are there", () => {
  const [start = ""] =
    /(?<=exec node ).*(?= server\/src\/main\.ts)/.exec(packageOf("package.json").scripts.start) ?? [];
  expect(words(inLastStage("ENTRYPOINT")[0] ?? "").slice(1)).toEqual(start.split(" "));
  const built = all("RUN").flatMap((text) => [...text.matchAll(/vite build -c (\S+)/g)].map(([, config]) => config));
  expect(built).toEqual(["client/vite.forms.config.ts", "client/vite.console.config.ts"]);
});

test("Node of the lockfile runs only where libatomic is installed", () => {
  const needed = inLastStage("RUN").findIndex((text) => text.includes("libatomic1"));
  expect(needed).toBe(0);
  // npm puts node_modules/.bin first in the path of what it runs, and Node of the lockfile is there.
  for (const text of all("RUN"))
    expect(text).not.toMatch(/npm (?:exec|run|x\b)|npx|npm (?:ci|install)(?! --ignore-scripts)/);
});
